-- Signals: who may take them up, the public pool, contact requests, connections and the history of every status.
-- What must always hold is held here, whoever writes.

-- Trusted since PostgreSQL 13, so the owner of the database may create it; nothing is asked where it already exists.
create extension if not exists pg_trgm;

create table governments (
  id text collate "C" primary key check (id ~ '^[A-Za-z0-9._:-]{1,128}$'),
  name text not null check (char_length(name) between 1 and 300),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create table government_contacts (
  id text collate "C" primary key check (id ~ '^[A-Za-z0-9._:-]{1,128}$'),
  government_id text collate "C" not null references governments,
  name text not null check (char_length(name) between 1 and 300),
  email text check (char_length(email) <= 320),
  role text check (char_length(role) <= 300),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create index government_contacts_by_government on government_contacts (government_id, id);

create table startups (
  id text collate "C" primary key check (id ~ '^[A-Za-z0-9._:-]{1,128}$'),
  name text not null check (char_length(name) between 1 and 300),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create table signals (
  id uuid primary key,
  status text not null default 'signal_unassigned' check (status in (
    'signal_unassigned', 'signal_assigned', 'accepted', 'contact_request_pending', 'contact_request_approved',
    'contact_request_rejected', 'archived')),
  -- What unarchive restores.
  prior_status text check (prior_status in (
    'signal_unassigned', 'signal_assigned', 'accepted', 'contact_request_pending', 'contact_request_approved',
    'contact_request_rejected')),
  is_public boolean not null default false,
  is_active boolean not null default true,
  -- Generated, so that the older fields cannot fall out of step with the status.
  is_archived boolean not null generated always as (status = 'archived') stored,
  approval_status text generated always as (case coalesce(prior_status, status)
    when 'contact_request_pending' then 'pending'
    when 'contact_request_approved' then 'approved'
    when 'contact_request_rejected' then 'rejected'
  end) stored,
  title text not null check (char_length(title) between 1 and 300),
  description text not null check (char_length(description) between 1 and 20000),
  visibility_level text check (char_length(visibility_level) between 1 and 100),
  solution_category text check (char_length(solution_category) between 1 and 100),
  government_id text collate "C" references governments,
  government_contact_id text collate "C" references government_contacts,
  -- Title and description, case folded by the service (src/signals/search.ts): lower() and ilike fold what the
  -- database's locale knows, which is ASCII alone under "C" and differs between versions. In such a database the
  -- trigram index below also knows ASCII words alone; other scripts are then found by a scan, slower but as exactly.
  search_text text collate "C" not null,
  created_by text not null,
  published_at timestamptz(3),
  published_by text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint signals_prior_while_archived check ((status = 'archived') = (prior_status is not null)),
  constraint signals_public_is_published check (not is_public or published_at is not null),
  constraint signals_public_is_taken_up check (not is_public or coalesce(prior_status, status) <> 'signal_unassigned'),
  check ((published_at is null) = (published_by is null))
);

-- The columns beside the order let totals be counted from the index alone.
create index signals_newest on signals (created_at desc, id desc) include (is_public) where not is_archived;
create index signals_newest_by_status on signals (status, created_at desc, id desc) include (is_public);
create index signals_pool on signals (published_at desc, id desc) include (status)
  where is_public and is_active and not is_archived;
create index signals_pool_by_category on signals (solution_category, published_at desc, id desc)
  where is_public and is_active and not is_archived;
create index signals_pool_by_visibility on signals (visibility_level, published_at desc, id desc)
  where is_public and is_active and not is_archived;
create index signals_search on signals using gin (search_text gin_trgm_ops);

create table signal_assignments (
  id uuid primary key,
  signal_id uuid not null references signals,
  startup_id text collate "C" not null references startups,
  assignment_type text not null check (assignment_type in ('direct', 'pool')),
  status text not null check (status in ('assigned', 'accepted', 'declined', 'superseded')),
  assigned_by text,
  notes text check (char_length(notes) <= 4000),
  reason text check (char_length(reason) <= 4000),
  created_at timestamptz(3) not null default statement_timestamp(),
  responded_at timestamptz(3),
  -- What comes from the pool is accepted from its first moment, and nobody assigned it.
  check (assignment_type = 'direct' or status = 'accepted'),
  check ((assignment_type = 'direct') = (assigned_by is not null)),
  check ((status in ('accepted', 'declined')) = (responded_at is not null))
);

create unique index signal_assignments_one_open on signal_assignments (signal_id, startup_id)
  where status in ('assigned', 'accepted');
create unique index signal_assignments_one_accepted on signal_assignments (signal_id) where status = 'accepted';
create index signal_assignments_by_signal on signal_assignments (signal_id, created_at, id);
create index signal_assignments_inbox on signal_assignments (startup_id, created_at desc, id desc);

create table contact_requests (
  id uuid primary key,
  signal_id uuid not null references signals,
  startup_id text collate "C" not null references startups,
  request_source text not null check (request_source in ('direct', 'pool')),
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected')),
  approval_status text not null generated always as (status) stored,
  message text check (char_length(message) <= 4000),
  requested_by text not null,
  reviewed_by text,
  review_notes text check (char_length(review_notes) <= 4000),
  connection_id uuid unique,
  created_at timestamptz(3) not null default statement_timestamp(),
  reviewed_at timestamptz(3),
  check ((status = 'pending') = (reviewed_at is null) and (status = 'pending') = (reviewed_by is null)),
  check (status <> 'pending' or review_notes is null),
  check (status <> 'rejected' or review_notes ~ '\S'),
  constraint contact_requests_approved_is_connected check ((status = 'approved') = (connection_id is not null))
);

create unique index contact_requests_one_pending on contact_requests (signal_id) where status = 'pending';
create index contact_requests_newest on contact_requests (created_at desc, id desc);
create index contact_requests_newest_by_status on contact_requests (status, created_at desc, id desc);
create index contact_requests_by_startup on contact_requests (startup_id, created_at desc, id desc);
create index contact_requests_by_signal on contact_requests (signal_id, created_at, id);

create table connections (
  id uuid primary key,
  signal_id uuid not null references signals,
  startup_id text collate "C" not null references startups,
  contact_request_id uuid not null unique references contact_requests,
  created_at timestamptz(3) not null default statement_timestamp()
);

create index connections_newest on connections (created_at desc, id desc);
create index connections_by_startup on connections (startup_id, created_at desc, id desc);
create index connections_by_signal on connections (signal_id, created_at, id);

-- Each names the other; the request is written first.
alter table contact_requests add foreign key (connection_id) references connections deferrable initially deferred;

create table signal_pool_views (
  signal_id uuid not null references signals,
  startup_id text collate "C" not null references startups,
  viewed_at timestamptz(3) not null,
  primary key (signal_id, startup_id)
) with (fillfactor = 80);

-- A signal's viewCount is the sum of its rows. One row would make all who view one signal wait for each other's
-- commit; spread over shards by connection, two of them hardly ever meet.
create table signal_view_counters (
  signal_id uuid not null references signals,
  shard smallint not null check (shard between 0 and 31),
  views bigint not null check (views > 0),
  primary key (signal_id, shard)
) with (fillfactor = 50);

-- The transition map of src/signals/workflow.ts; a test holds the two equal. An action of null asks for any.
create function signal_transition_is_legal(action text, from_status text, to_status text) returns boolean
  language sql immutable
  return exists (
    select from (values
      ('create', null, 'signal_unassigned'),
      ('assign', 'signal_unassigned', 'signal_assigned'),
      ('publish', 'signal_unassigned', 'signal_assigned'),
      ('unpublish', 'signal_assigned', 'signal_assigned'),
      ('unpublish', 'signal_assigned', 'signal_unassigned'),
      ('unpublish', 'accepted', 'accepted'),
      ('unpublish', 'contact_request_pending', 'contact_request_pending'),
      ('unpublish', 'contact_request_approved', 'contact_request_approved'),
      ('unpublish', 'contact_request_rejected', 'contact_request_rejected'),
      ('accept', 'signal_assigned', 'accepted'),
      ('pool_accept', 'signal_assigned', 'accepted'),
      ('decline', 'signal_assigned', 'signal_assigned'),
      ('decline', 'signal_assigned', 'signal_unassigned'),
      ('request_contact', 'accepted', 'contact_request_pending'),
      ('request_contact', 'contact_request_rejected', 'contact_request_pending'),
      ('approve_contact', 'contact_request_pending', 'contact_request_approved'),
      ('reject_contact', 'contact_request_pending', 'contact_request_rejected'),
      ('archive', 'signal_unassigned', 'archived'),
      ('archive', 'signal_assigned', 'archived'),
      ('archive', 'accepted', 'archived'),
      ('archive', 'contact_request_pending', 'archived'),
      ('archive', 'contact_request_approved', 'archived'),
      ('archive', 'contact_request_rejected', 'archived'),
      ('unarchive', 'archived', 'signal_unassigned'),
      ('unarchive', 'archived', 'signal_assigned'),
      ('unarchive', 'archived', 'accepted'),
      ('unarchive', 'archived', 'contact_request_pending'),
      ('unarchive', 'archived', 'contact_request_approved'),
      ('unarchive', 'archived', 'contact_request_rejected')
    ) as legal (by_action, before, after)
    where (action is null or by_action = action) and before is not distinct from from_status and after = to_status
  );

-- Append-only. Who holds the signal's row lock adds the next row, so that the order by position is total and true.
create table signal_status_history (
  id uuid primary key,
  position bigint not null generated always as identity,
  signal_id uuid not null references signals,
  action text not null,
  from_status text,
  to_status text not null,
  actor_id text not null,
  actor_role text not null check (actor_role in ('admin', 'startup')),
  startup_id text collate "C" references startups,
  notes text check (char_length(notes) <= 4000),
  created_at timestamptz(3) not null default statement_timestamp(),
  unique (signal_id, position),
  constraint signal_status_history_legal check (signal_transition_is_legal(action, from_status, to_status)),
  constraint signal_status_history_actor
    check ((actor_role = 'startup') = (action in ('accept', 'pool_accept', 'decline', 'request_contact'))),
  check (actor_role = 'admin' or startup_id is not null)
);

create function signal_status_history_guard_insert() returns trigger language plpgsql as $$
declare
  last_status text;
begin
  select h.to_status into last_status from signal_status_history h
    where h.signal_id = new.signal_id order by h.position desc limit 1;
  if last_status is distinct from new.from_status then
    raise exception 'the history of signal % ends with %, not with %', new.signal_id, last_status, new.from_status
      using errcode = 'SG001';
  end if;
  return new;
end
$$;

create trigger signal_status_history_guard_insert before insert on signal_status_history
  for each row execute function signal_status_history_guard_insert();

create function signal_status_history_guard_change() returns trigger language plpgsql as $$
begin
  raise exception 'the status history is append-only' using errcode = 'SG001';
end
$$;

create trigger signal_status_history_guard_change before update or delete or truncate on signal_status_history
  for each statement execute function signal_status_history_guard_change();

create function signals_guard_status() returns trigger language plpgsql as $$
begin
  if new.status = old.status then
    if new.prior_status is distinct from old.prior_status then
      raise exception 'the prior status of signal % is fixed', old.id using errcode = 'SG002';
    end if;
    return new;
  end if;
  if not signal_transition_is_legal(null, old.status, new.status) then
    raise exception 'no action leads a signal from % to %', old.status, new.status using errcode = 'SG002';
  end if;
  if new.status = 'archived' and new.prior_status is distinct from old.status then
    raise exception 'archiving signal % must remember %', old.id, old.status using errcode = 'SG002';
  end if;
  if old.status = 'archived' and new.status <> old.prior_status then
    raise exception 'unarchiving signal % must restore %', old.id, old.prior_status using errcode = 'SG002';
  end if;
  return new;
end
$$;

create trigger signals_guard_status before update of status, prior_status on signals
  for each row execute function signals_guard_status();

-- At the commit the newest row of the history is the signal's status: no status changes without its row, and no row
-- tells of a change that was not made.
create function signals_guard_agreement() returns trigger language plpgsql as $$
declare
  changed uuid;
begin
  if tg_table_name = 'signals' then changed := new.id; else changed := new.signal_id; end if;
  if (select h.to_status from signal_status_history h where h.signal_id = changed order by h.position desc limit 1)
    is distinct from (select s.status from signals s where s.id = changed) then
    raise exception 'status and history of signal % disagree', changed using errcode = 'SG002';
  end if;
  return null;
end
$$;

create constraint trigger signals_guard_agreement after insert or update of status on signals
  deferrable initially deferred for each row execute function signals_guard_agreement();
create constraint trigger signal_status_history_guard_agreement after insert on signal_status_history
  deferrable initially deferred for each row execute function signals_guard_agreement();
