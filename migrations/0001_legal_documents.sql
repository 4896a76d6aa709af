-- Users, legal documents and their acceptances. What must always hold is held here, whoever writes.

create table users (
  id text collate "C" primary key check (char_length(id) between 1 and 255),
  email text not null default '',
  first_name text not null default '',
  last_name text not null default '',
  terms_version text,
  terms_accepted_at timestamptz(3),
  privacy_version text,
  privacy_accepted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  check ((terms_version is null) = (terms_accepted_at is null)),
  check ((privacy_version is null) = (privacy_accepted_at is null))
);

create index users_newest on users (created_at desc, id desc);

create table legal_documents (
  id uuid primary key,
  type text not null check (type in ('terms', 'privacy')),
  version text not null
    check (char_length(version) <= 32 and version ~ '^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$'),
  title text not null check (char_length(title) between 1 and 300),
  content text not null check (octet_length(content) between 1 and 2097152),
  effective_date timestamptz(3) not null,
  published_at timestamptz(3),
  published_by text,
  is_active boolean not null default false,
  requires_immediate boolean not null default true,
  grace_period_days integer not null default 0 check (grace_period_days between 0 and 3650),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint legal_documents_type_version unique (type, version),
  -- What an acceptance copies from its document is tied to it through this key.
  constraint legal_documents_identity unique (id, type, version),
  -- A draft is unpublished and inactive; a published document names its publisher.
  check ((published_at is null) = (published_by is null)),
  check (published_at is not null or not is_active)
);

create unique index legal_documents_one_active on legal_documents (type) where is_active;
create index legal_documents_newest on legal_documents (created_at desc, id desc);
create index legal_documents_published on legal_documents (type, published_at desc, id desc) where published_at is not null;

create table document_acceptances (
  id uuid primary key,
  user_id text collate "C" not null references users on delete cascade,
  document_id uuid not null,
  type text not null,
  version text not null,
  accepted_at timestamptz(3) not null default clock_timestamp(),
  ip_address text check (char_length(ip_address) <= 64),
  user_agent text check (char_length(user_agent) <= 2048),
  constraint document_acceptances_once unique (user_id, document_id, version),
  foreign key (document_id, type, version) references legal_documents (id, type, version) on delete cascade
);

create index document_acceptances_log on document_acceptances (accepted_at desc, id desc);
create index document_acceptances_log_by_type on document_acceptances (type, accepted_at desc, id desc);
create index document_acceptances_by_document on document_acceptances (document_id, accepted_at desc, id desc);

-- Published documents are immutable: all that may still happen to one is that it stops being active.
create function legal_documents_guard_update() returns trigger language plpgsql as $$
begin
  if old.published_at is null then
    if new.published_at is not null and not new.is_active then
      raise exception 'publishing a legal document makes it active' using errcode = 'LD002';
    end if;
    if (new.id, new.type, new.version) is distinct from (old.id, old.type, old.version) then
      raise exception 'id, type and version of a legal document are fixed' using errcode = 'LD002';
    end if;
    return new;
  end if;
  if new.is_active and not old.is_active then
    raise exception 'an archived legal document cannot become active again' using errcode = 'LD002';
  end if;
  if (new.id, new.type, new.version, new.title, new.content, new.effective_date, new.published_at, new.published_by,
      new.requires_immediate, new.grace_period_days, new.created_at)
    is distinct from
     (old.id, old.type, old.version, old.title, old.content, old.effective_date, old.published_at, old.published_by,
      old.requires_immediate, old.grace_period_days, old.created_at) then
    raise exception 'a published legal document cannot be changed' using errcode = 'LD002';
  end if;
  return new;
end
$$;

create trigger legal_documents_guard_update before update on legal_documents
  for each row execute function legal_documents_guard_update();

create function legal_documents_guard_delete() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    raise exception 'legal documents cannot be truncated' using errcode = 'LD002';
  end if;
  if old.published_at is not null then
    raise exception 'a published legal document cannot be deleted' using errcode = 'LD002';
  end if;
  return old;
end
$$;

create trigger legal_documents_guard_delete before delete on legal_documents
  for each row execute function legal_documents_guard_delete();
create trigger legal_documents_guard_truncate before truncate on legal_documents
  for each statement execute function legal_documents_guard_delete();

-- An acceptance is an audit record: it is added, or removed with its user, and never edited.
create function document_acceptances_guard_update() returns trigger language plpgsql as $$
begin
  raise exception 'an acceptance cannot be changed' using errcode = 'LD003';
end
$$;

create trigger document_acceptances_guard_update before update on document_acceptances
  for each row execute function document_acceptances_guard_update();

-- Nobody accepts a document that is not active. The share lock makes a publish wait for the acceptances under way,
-- and those that come later see the document archived: the service then tries again with the new one.
create function document_acceptances_guard_insert() returns trigger language plpgsql as $$
begin
  perform from legal_documents
    where id in (select document_id from added) and is_active
    order by id
    for share;
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

create trigger document_acceptances_guard_insert after insert on document_acceptances
  referencing new table as added
  for each statement execute function document_acceptances_guard_insert();
