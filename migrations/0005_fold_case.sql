-- Folds letter case in every script, whatever the locale of the database: lower() and ilike fold what the locale knows,
-- which is A-Z alone under C. ICU does it where the server has it, as all packages do. Upper case first, for letters
-- that have several lower-case forms or are spelt out in capitals (the final sigma, the sharp s).
do $$
declare
  -- The one kind of collation that is about every script; its name is the same on every server that has ICU.
  has_icu boolean := exists (select from pg_collation where collname = 'und-x-icu' and collnamespace = 'pg_catalog'::regnamespace);
  everywhere text := case when has_icu then 'collate pg_catalog."und-x-icu"' else '' end;
begin
  execute format($body$
    create function fold_case(folded text) returns text language sql immutable parallel safe
    return case
      when octet_length(folded) = char_length(folded) then lower(folded collate "C")
      else replace(lower(upper(lower(replace(folded, U&'\0130', 'i') %1$s) %1$s) %1$s), U&'\03C2', U&'\03C3') collate "C"
    end
  $body$, everywhere);
end
$$;
