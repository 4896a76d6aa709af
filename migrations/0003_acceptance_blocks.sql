-- Exact totals and far pages of the acceptance log without counting it.
--
-- The log, in its order (accepted_at, id), is sealed from its old end in blocks of some thousand rows. A total is what
-- is sealed plus a count of the short tail that is not; a far offset finds its block by a running sum. Every statement
-- that adds or removes acceptances holds the seal lock shared, and sealing holds it exclusively, so that the figures
-- are exact in every snapshot whoever writes. A block can later bear a digest of its rows.

create table acceptance_blocks (
  number integer primary key,
  until_at timestamptz(3) not null,
  until_id uuid not null,
  terms integer not null check (terms >= 0),
  privacy integer not null check (privacy >= 0)
);

create unique index acceptance_blocks_by_end on acceptance_blocks (until_at, until_id);

create table acceptance_totals (
  document_id uuid primary key references legal_documents on delete cascade,
  sealed bigint not null check (sealed >= 0)
);

-- Everything up to and including `until` is sealed.
create table acceptance_seal (
  singleton boolean primary key default true check (singleton),
  until_at timestamptz(3) not null default '-infinity',
  until_id uuid not null default '00000000-0000-0000-0000-000000000000',
  blocks integer not null default 0
);
insert into acceptance_seal default values;

create table user_seal (
  singleton boolean primary key default true check (singleton),
  until_at timestamptz(3) not null default '-infinity',
  sealed bigint not null default 0 check (sealed >= 0)
);
insert into user_seal default values;

-- Lock keys: (1279611713, 1) for acceptances, (1279611713, 2) for users.

create function acceptances_hold_seal() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(1279611713, 1);
  return null;
end
$$;

create function users_hold_seal() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(1279611713, 2);
  return null;
end
$$;

create trigger document_acceptances_hold_seal before insert or delete on document_acceptances
  for each statement execute function acceptances_hold_seal();
create trigger users_hold_seal before insert or delete on users
  for each statement execute function users_hold_seal();

-- Corrects the sealed figures for rows that were removed, or added with a time that is sealed already (a clock set back).
create function acceptances_correct_seal() returns trigger language plpgsql as $$
declare
  seal record;
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  select until_at, until_id into strict seal from acceptance_seal;
  if not exists (select from changed c where (c.accepted_at, c.id) <= (seal.until_at, seal.until_id)) then
    return null;
  end if;
  update acceptance_totals t set sealed = t.sealed + sign * s.rows
    from (
      select c.document_id, count(*) as rows from changed c
      where (c.accepted_at, c.id) <= (seal.until_at, seal.until_id) group by c.document_id
    ) s
    where t.document_id = s.document_id;
  insert into acceptance_totals (document_id, sealed)
    select c.document_id, count(*) from changed c
    where sign = 1 and (c.accepted_at, c.id) <= (seal.until_at, seal.until_id)
      and not exists (select from acceptance_totals t where t.document_id = c.document_id)
    group by c.document_id
  on conflict (document_id) do update set sealed = acceptance_totals.sealed + excluded.sealed;
  update acceptance_blocks b set terms = b.terms + sign * s.terms, privacy = b.privacy + sign * s.privacy
    from (
      select n.number, count(*) filter (where c.type = 'terms') as terms, count(*) filter (where c.type = 'privacy') as privacy
      from changed c
      cross join lateral (
        select number from acceptance_blocks
        where (until_at, until_id) >= (c.accepted_at, c.id) order by until_at, until_id limit 1
      ) n
      group by n.number
    ) s
    where b.number = s.number;
  return null;
end
$$;

create trigger document_acceptances_correct_seal_insert after insert on document_acceptances
  referencing new table as changed
  for each statement execute function acceptances_correct_seal();
create trigger document_acceptances_correct_seal_delete after delete on document_acceptances
  referencing old table as changed
  for each statement execute function acceptances_correct_seal();

create function users_correct_seal() returns trigger language plpgsql as $$
declare
  late bigint;
begin
  select count(*) into late from changed c, user_seal s where c.created_at <= s.until_at;
  if late > 0 then
    update user_seal set sealed = sealed + case tg_op when 'INSERT' then late else -late end;
  end if;
  return null;
end
$$;

create trigger users_correct_seal_insert after insert on users
  referencing new table as changed
  for each statement execute function users_correct_seal();
create trigger users_correct_seal_delete after delete on users
  referencing old table as changed
  for each statement execute function users_correct_seal();

create function legal_records_refuse_truncate() returns trigger language plpgsql as $$
begin
  raise exception 'audit records cannot be truncated' using errcode = 'LD003';
end
$$;

create trigger document_acceptances_refuse_truncate before truncate on document_acceptances
  for each statement execute function legal_records_refuse_truncate();
create trigger users_refuse_truncate before truncate on users
  for each statement execute function legal_records_refuse_truncate();

-- Seals at most `most` blocks of `size` rows and returns how many it sealed: 0 when the tail is shorter than a block,
-- or when another session is sealing.
create function seal_acceptances(size integer default 4096, most integer default 1) returns integer language plpgsql as $$
declare
  seal record;
  finish record;
  done integer := 0;
begin
  -- A caller that cannot have the lock soon gives up rather than make acceptances queue behind it.
  perform set_config('lock_timeout', '200ms', true);
  perform from acceptance_seal for update skip locked;
  if not found then
    return 0;
  end if;
  while done < most loop
    select until_at, until_id, blocks into strict seal from acceptance_seal;
    perform from document_acceptances
      where (accepted_at, id) > (seal.until_at, seal.until_id)
      order by accepted_at, id offset size - 1 limit 1;
    exit when not found;
    perform pg_advisory_xact_lock(1279611713, 1);
    select accepted_at, id into strict finish from document_acceptances
      where (accepted_at, id) > (seal.until_at, seal.until_id)
      order by accepted_at, id offset size - 1 limit 1;
    insert into acceptance_blocks (number, until_at, until_id, terms, privacy)
      select seal.blocks + 1, finish.accepted_at, finish.id,
        count(*) filter (where type = 'terms'), count(*) filter (where type = 'privacy')
      from document_acceptances
      where (accepted_at, id) > (seal.until_at, seal.until_id) and (accepted_at, id) <= (finish.accepted_at, finish.id);
    insert into acceptance_totals (document_id, sealed)
      select document_id, count(*) from document_acceptances
      where (accepted_at, id) > (seal.until_at, seal.until_id) and (accepted_at, id) <= (finish.accepted_at, finish.id)
      group by document_id
    on conflict (document_id) do update set sealed = acceptance_totals.sealed + excluded.sealed;
    update acceptance_seal set until_at = finish.accepted_at, until_id = finish.id, blocks = seal.blocks + 1;
    done := done + 1;
  end loop;
  return done;
end
$$;

-- Brings the sealed number of users forward when `size` of them or more are not in it; returns whether it did.
create function seal_users(size integer default 4096) returns boolean language plpgsql as $$
declare
  seal record;
  finish timestamptz(3);
begin
  perform set_config('lock_timeout', '200ms', true);
  select until_at into seal from user_seal for update skip locked;
  if not found then
    return false;
  end if;
  perform from users where created_at > seal.until_at order by created_at offset size - 1 limit 1;
  if not found then
    return false;
  end if;
  perform pg_advisory_xact_lock(1279611713, 2);
  select max(created_at) into strict finish from users;
  update user_seal set until_at = finish,
    sealed = sealed + (select count(*) from users where created_at > seal.until_at and created_at <= finish);
  return true;
end
$$;

-- The seal lock now orders acceptances and publishes, too: an acceptance holds it shared from before its time is taken
-- until it is committed, and a document changes its state under the exclusive lock. That spares each acceptance the
-- share lock on the one row that all of them would otherwise write to.
create or replace function document_acceptances_guard_insert() returns trigger language plpgsql as $$
begin
  if exists (
    select from added a
    left join legal_documents d on d.id = a.document_id and d.is_active
    where d.id is null
  ) then
    raise exception 'only the active document can be accepted' using errcode = 'LD001';
  end if;
  return null;
end
$$;

create function legal_documents_order_state() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1279611713, 1);
  return new;
end
$$;

create trigger legal_documents_order_state before update of is_active on legal_documents
  for each row when (old.is_active is distinct from new.is_active)
  execute function legal_documents_order_state();

-- The figures themselves. As functions, because the planner cannot know how short the tail is: left to itself it reads
-- the whole table. Stable, so that each sees the snapshot of the statement that calls it.

create function acceptance_count(of_document uuid) returns bigint language plpgsql stable
  set enable_seqscan = off set enable_bitmapscan = off set max_parallel_workers_per_gather = 0 set jit = off as $$
declare
  seal record;
begin
  select until_at, until_id into strict seal from acceptance_seal;
  return coalesce((select sealed from acceptance_totals where document_id = of_document), 0) + (
    select count(*) from document_acceptances
    where document_id = of_document and (accepted_at, id) > (seal.until_at, seal.until_id)
  );
end
$$;

-- Of both types when `of_type` is null.
create function acceptance_tail_count(of_type text) returns bigint language plpgsql stable
  set enable_seqscan = off set enable_bitmapscan = off set max_parallel_workers_per_gather = 0 set jit = off as $$
declare
  seal record;
begin
  select until_at, until_id into strict seal from acceptance_seal;
  if of_type is null then
    return (select count(*) from document_acceptances where (accepted_at, id) > (seal.until_at, seal.until_id));
  end if;
  return (
    select count(*) from document_acceptances
    where type = of_type and (accepted_at, id) > (seal.until_at, seal.until_id)
  );
end
$$;

create function acceptance_log_count(of_type text) returns bigint language sql stable as $$
  select acceptance_tail_count(of_type) + coalesce(sum(t.sealed), 0)::bigint
  from acceptance_totals t join legal_documents d on d.id = t.document_id
  where of_type is null or d.type = of_type
$$;

create function user_count() returns bigint language plpgsql stable
  set enable_seqscan = off set enable_bitmapscan = off set max_parallel_workers_per_gather = 0 set jit = off as $$
declare
  seal record;
begin
  select until_at, sealed into strict seal from user_seal;
  return seal.sealed + (select count(*) from users where created_at > seal.until_at);
end
$$;

-- One page of the log, newest first, of one type or of both. A near page is walked to. For a far one the newest block
-- that begins at or before the offset is found by a running sum, and only the rest is walked.
create function acceptance_log_page(of_type text, page_limit integer, page_offset bigint)
  returns table (id uuid, user_id text, document_id uuid, accepted_at timestamptz(3), ip_address text, user_agent text)
  language plpgsql stable rows 500
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set max_parallel_workers_per_gather = 0 set jit = off as $$
declare
  from_at timestamptz(3) := 'infinity';
  from_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  rest bigint := page_offset;
  tail bigint;
begin
  if page_offset >= 4096 then
    tail := acceptance_tail_count(of_type);
    select s.until_at, s.until_id, page_offset - s.newer into from_at, from_id, rest
      from (
        select b.until_at, b.until_id, b.number,
          tail + sum(b.size) over (order by b.number desc) - b.size as newer
        from (
          select n.number, n.until_at, n.until_id,
            case of_type when 'terms' then n.terms when 'privacy' then n.privacy else n.terms + n.privacy end as size
          from acceptance_blocks n
        ) b
      ) s
      where s.newer <= page_offset order by s.number limit 1;
    if not found then
      from_at := 'infinity';
      from_id := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
      rest := page_offset;
    end if;
  end if;
  if of_type is null then
    return query
      select a.id, a.user_id, a.document_id, a.accepted_at, a.ip_address, a.user_agent
      from document_acceptances a
      where (a.accepted_at, a.id) <= (from_at, from_id)
      order by a.accepted_at desc, a.id desc limit page_limit offset rest;
  else
    return query
      select a.id, a.user_id, a.document_id, a.accepted_at, a.ip_address, a.user_agent
      from document_acceptances a
      where a.type = of_type and (a.accepted_at, a.id) <= (from_at, from_id)
      order by a.accepted_at desc, a.id desc limit page_limit offset rest;
  end if;
end
$$;
