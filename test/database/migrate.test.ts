import t from 'tap'
import { migrateToLatest } from '../../src/database/migrate.js'
import { testDatabase } from '../helper.js'
import { cutAt } from './cut.js'

t.test('a connection that is lost while migrating is an error, not the end of the process', async t => {
  const url = await testDatabase(t)
  for (const answerOnly of [false, true]) {
    await t.rejects(migrateToLatest(await cutAt(t, url, 'kysely_migration', answerOnly)), /terminated|ECONNRESET/)
  }
  t.same(await migrateToLatest(url), [], 'and the next one finds all in order')
})
