import type pg from 'pg'

/** Signals in every seeded database, whatever its scale; nine of ten are in the pool. */
const signals = 100_000
const startups = 1000
const words = 60
const vocabulary = 20_000
const syllables = [
  'ba', 'ce', 'di', 'for', 'gu', 'ha', 'ject', 'ka', 'lo', 'men', 'nor', 'o', 'pra', 'quo',
  'res', 'si', 'ter', 'u', 'ver', 'wa', 'xi', 'yo', 'ze', 'tri', 'ster', 'clo', 'bri', 'pho'
]

/** Word `number` (0-19999) of the seeded texts: the higher the number, the rarer the word. */
export function word (number: number): string {
  const { length } = syllables
  return [number % length, Math.floor(number / length) % length, Math.floor(number / length ** 2)].map(index => syllables[index]).join('')
}

/**
 * Signals with titles and descriptions of words that differ in frequency as those of a language do, their history,
 * and the startups that look at them.
 */
export async function seedSignals (client: pg.Client): Promise<void> {
  const syllable = (index: string) => `(array['${syllables.join("','")}'])[1 + ${index}]`
  await client.query(`
    create function pg_temp.word(n integer) returns text language sql immutable as $$
      select ${syllable(`n % ${syllables.length}`)} || ${syllable(`n / ${syllables.length} % ${syllables.length}`)}
        || ${syllable(`n / ${syllables.length ** 2}`)}
    $$;
    create function pg_temp.words(amount integer) returns text language sql volatile as $$
      select string_agg(pg_temp.word((${vocabulary - 1} * power(random(), 3))::integer), ' ') from generate_series(1, amount)
    $$;
    select setseed(0.5);
    insert into startups (id, name) select 'startup-' || i, 'Startup ' || i from generate_series(0, ${startups - 1}) i;
    create temp table texts as
      select i, initcap(pg_temp.words(6 + i * 0)) as title, pg_temp.words(${words - 6} + i * 0) as description
      from generate_series(0, ${signals - 1}) i;
  `)
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
}
