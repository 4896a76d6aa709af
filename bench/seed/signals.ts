import type pg from 'pg'
import { dropIndexes } from './indexes.js'

/** Signals in every seeded database, whatever its scale; nine of ten are in the pool. */
const signals = 100_000
const startups = 1000
const words = 60
const vocabulary = 20_000
const onsets = ['', 'b', 'bl', 'br', 'c', 'ch', 'cl', 'cr', 'd', 'dr', 'f', 'fl', 'fr', 'g', 'gr', 'h', 'j', 'k', 'l', 'm', 'n', 'p', 'pl', 'pr', 'qu', 'r', 's', 'sh', 'st', 'str', 't', 'th', 'tr', 'v', 'w', 'y', 'z']
const vowels = ['a', 'e', 'i', 'o', 'u', 'ai', 'ea', 'ee', 'ie', 'oa', 'ou']
const codas = ['', 'b', 'ck', 'd', 'ft', 'g', 'l', 'ld', 'm', 'mp', 'n', 'nd', 'ng', 'nt', 'p', 'r', 'rd', 'rn', 's', 'ss', 'st', 't', 'x']

/** Where the parts of syllable `place` of a word are found; the same arithmetic as in SQL below. */
const hash = (number: number, place: number): number => number * (7919 + 13 * place) + place * 3571

/** Word `number` (0-19999) of the seeded texts, of one to three syllables: the higher the number, the rarer the word. */
export function word (number: number): string {
  return Array.from({ length: 1 + number % 3 }, (_, place) => {
    const mixed = hash(number, place)
    return onsets[mixed % onsets.length] as string + vowels[Math.floor(mixed / onsets.length) % vowels.length] +
      codas[Math.floor(mixed / onsets.length / vowels.length) % codas.length]
  }).join('')
}

/**
 * Signals with titles and descriptions of words that differ in frequency as those of a language do, their history,
 * and the startups that look at them.
 */
export async function seedSignals (client: pg.Client): Promise<void> {
  const part = (parts: string[], index: string) => `(array['${parts.join("','")}'])[1 + ${index} % ${parts.length}]`
  await client.query(`
    create function pg_temp.word(n integer) returns text language sql immutable as $$
      select string_agg(${part(onsets, 'mixed')} || ${part(vowels, `(mixed / ${onsets.length})`)}
        || ${part(codas, `(mixed / ${onsets.length * vowels.length})`)}, '' order by place)
      from (select place, n * (7919 + 13 * place) + place * 3571 as mixed from generate_series(0, n % 3) place) syllables
    $$;
    create temp table vocabulary as select n, pg_temp.word(n) as word from generate_series(0, ${vocabulary - 1}) n;
    select setseed(0.5);
    insert into startups (id, name) select 'startup-' || i, 'Startup ' || i from generate_series(0, ${startups - 1}) i;
    create temp table texts as
      select i, initcap(string_agg(word, ' ') filter (where place < 6)) as title, string_agg(word, ' ') filter (where place >= 6) as description
      from (
        select i, place, (${vocabulary - 1} * power(random(), 3))::integer as n
        from generate_series(0, ${signals - 1}) i, generate_series(0, ${words - 1}) place
      ) places join vocabulary using (n)
      group by i;
  `)
  const indexes = await dropIndexes(client, ['signals'])
  await client.query(`
    insert into signals (id, status, is_public, title, description, visibility_level, solution_category, search_text,
      created_by, published_at, published_by, created_at, updated_at)
    select pg_temp.id_at(moment, 'signal' || i), case when pooled then 'signal_assigned' else 'signal_unassigned' end, pooled,
      title, description, (array['national', 'regional', 'local'])[1 + i % 3], 'category-' || i % 20,
      lower(title) || 'X' || description, 'admin-0',
      case when pooled then moment + interval '1 hour' end, case when pooled then 'admin-0' end, moment, moment
    from (select *, i % 10 > 0 as pooled, pg_temp.at(0) + i * interval '5 minutes' as moment from texts) t
  `)
  await client.query(`
    insert into signal_status_history (id, signal_id, action, from_status, to_status, actor_id, actor_role, created_at)
    select pg_temp.id_at(s.created_at, 'create' || s.id), s.id, 'create', null, 'signal_unassigned', 'admin-0', 'admin', s.created_at from signals s;
    insert into signal_status_history (id, signal_id, action, from_status, to_status, actor_id, actor_role, created_at)
    select pg_temp.id_at(s.published_at, 'publish' || s.id), s.id, 'publish', 'signal_unassigned', 'signal_assigned', 'admin-0', 'admin', s.published_at
    from signals s where s.published_at is not null;
  `)
  for (const index of indexes) await client.query(index)
}
