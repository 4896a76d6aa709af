-- Instances keep the active documents in memory. This counter, raised by every change of what is active, tells them
-- whether what they keep is still true; the notification tells those that listen at once.

create table legal_publish_state (
  singleton boolean primary key default true check (singleton),
  version bigint not null default 0
);
insert into legal_publish_state default values;

create or replace function legal_documents_order_state() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1279611713, 1);
  update legal_publish_state set version = version + 1;
  perform pg_notify('legal_documents', '');
  return new;
end
$$;
