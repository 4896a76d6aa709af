import t, { type Test } from 'tap'
import { sql, type Kysely } from 'kysely'
import { loadConfig } from '../../src/config.js'
import { createDatabase, type DatabaseClient } from '../../src/database/client.js'
import { DatabaseUnavailable, isUnavailable, sqlState } from '../../src/database/errors.js'
import type { Database } from '../../src/database/schema.js'
import { inTransaction } from '../../src/database/transaction.js'
import { secret, testDatabase } from '../helper.js'
import { cutAt } from './cut.js'

function open (t: Test, url: string, env: Record<string, string> = {}): DatabaseClient {
  const { database } = loadConfig({ DATABASE_URL: url, JWT_SECRET: secret, DATABASE_POOL_MAX: '1', ...env })
  const client = createDatabase(database, () => {})
  t.teardown(() => client.close())
  return client
}

const backend = async (db: Kysely<Database>) => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid
const runs = async (db: Kysely<Database>) => (await sql<{ runs: number }>`select last_value as runs from runs`.execute(db)).rows[0]?.runs
const notes = async (db: Kysely<Database>) => (await sql<{ text: string }>`select text from notes order by text`.execute(db)).rows.map(({ text }) => text)
const note = async (db: Kysely<Database>, text: string) => { await sql`insert into notes values (${text})`.execute(db) }

/** `flaky` fails with a code as many times as it is told; a sequence is not undone and so counts the attempts. */
async function prepared (t: Test): Promise<string> {
  const url = await testDatabase(t)
  await sql.raw(`
    create sequence runs;
    create table notes (text text);
    create function flaky (code text, times int) returns int language plpgsql as $$
    begin
      if nextval('runs') <= times then raise exception 'flaky' using errcode = code; end if;
      return 1;
    end $$;
    create function fail_commit () returns trigger language plpgsql as $$
    begin
      perform flaky(split_part(new.text, ' ', 1), split_part(new.text, ' ', 2)::int);
      return null;
    end $$;
    create constraint trigger fail_commit after insert on notes deferrable initially deferred
      for each row when (new.text like '% %') execute function fail_commit();
  `).execute(open(t, url, { DATABASE_PREPARED: 'false' }).db)
  return url
}

const undone = ['40001', '40P01', '0A000']

t.test('what the server has undone is tried once more, and nothing else is', async t => {
  const { db } = open(t, await prepared(t))
  const reset = async () => { await sql`alter sequence runs restart`.execute(db) }
  const statement = async (code: string, times: number) => { await sql`select flaky(${code}, ${times})`.execute(db) }
  const transaction = async (code: string, times: number) => await inTransaction(db, async trx => {
    await note(trx, 'before')
    await sql`select flaky(${code}, ${times})`.execute(trx)
  })
  const atCommit = async (code: string, times: number) => await inTransaction(db, async trx => await note(trx, `${code} ${times}`))

  for (const [name, work] of Object.entries({ statement, transaction, atCommit })) {
    for (const code of undone) {
      await reset()
      await t.resolves(work(code, 1), `${name}: ${code} once`)
      t.equal(await runs(db), 2)
      await reset()
      const error = await work(code, 9).catch((error: unknown) => error)
      t.ok(isUnavailable(error), `${name}: ${code} again and again`)
      t.equal(await runs(db), 2)
    }
    for (const code of ['23505', '57014', '55P03', '25006', '57P01', '08006', '53100', 'P0001']) {
      await reset()
      t.equal(sqlState(await work(code, 9).catch((error: unknown) => error)), code, `${name}: ${code}`)
      t.equal(await runs(db), 1)
    }
  }
  t.same(await notes(db), [...undone.map(code => `${code} 1`), ...undone.map(() => 'before')].sort(), 'each was committed once')
})

t.test('connections that must not be used again are thrown away, the others are kept', async t => {
  const url = await prepared(t)
  const { db } = open(t, url, { DATABASE_STATEMENT_TIMEOUT_MS: '300' })
  const fail = async (code: string, on: Kysely<Database> = db) => { await t.rejects(sql`select flaky(${code}, 1000)`.execute(on)) }
  for (const code of ['25006', '57P01', '57P02', '57P03', '08006', '08P01', '0A000', '26000', '42P05']) {
    const before = await backend(db)
    await fail(code)
    t.not(await backend(db), before, code)
  }
  for (const code of ['23505', '57014', '55P03', '40001', '40P01', '53100', 'P0001']) {
    const before = await backend(db)
    await fail(code)
    t.equal(await backend(db), before, code)
    await t.rejects(inTransaction(db, async trx => {
      await fail(code, trx)
      throw new Error('given up')
    }), /given up/)
    t.equal(await backend(db), before, `${code} in a transaction`)
  }
  const before = await backend(db)
  await t.rejects(sql`select pg_sleep(5)`.execute(db))
  t.equal(await backend(db), before, 'cancelled by statement_timeout')
})

t.test('an answer that does not come ends the connection, and its transaction', async t => {
  const url = await prepared(t)
  // As through a pooler, where the server keeps no timeout.
  const { db } = open(t, url, { DATABASE_STATEMENT_TIMEOUT_MS: '100', DATABASE_PREPARED: 'false' })
  const before = await backend(db)
  await t.rejects(inTransaction(db, async trx => {
    await note(trx, 'lost')
    await sql`select pg_sleep(2)`.execute(trx)
  }), DatabaseUnavailable)
  t.not(await backend(db), before)
  t.same(await notes(db), [])
})

t.test('a connection lost while it commits: whether it did is not known, and it is not tried again', async t => {
  const url = await prepared(t)
  const watcher = open(t, url)
  for (const answerOnly of [true, false]) {
    const { db } = open(t, await cutAt(t, url, 'commit\0', answerOnly))
    let times = 0
    const text = answerOnly ? 'answer' : 'request'
    await t.rejects(inTransaction(db, async trx => {
      times++
      await note(trx, text)
    }), DatabaseUnavailable)
    t.equal(times, 1, `${text} lost`)
    t.equal((await notes(watcher.db)).includes(text), answerOnly)
  }
})

t.test('a transaction that the server has undone is no success, though nobody threw', async t => {
  const { db } = open(t, await prepared(t))
  await t.rejects(inTransaction(db, async trx => {
    await note(trx, 'lost')
    await sql`select 1 / 0`.execute(trx).catch(() => {})
  }), /rolled back/)
  t.same(await notes(db), [])
})
