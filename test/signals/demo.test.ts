import t from 'tap'
import { loadSignals } from '../../dev/demo/signals.js'
import { adminClaims, testApp } from '../helper.js'
import { statuses } from '../../src/signals/workflow.js'
import { unbroken } from './helper.js'

t.test('the demo data shows something on each list, in every status, with true histories', async t => {
  const server = await testApp(t)
  await loadSignals(server.database.db)
  await loadSignals(server.database.db)
  const admin = await server.as(adminClaims)
  const aurora = await server.as({ sub: 'anybody', startupId: 'startup-aurora' })
  for (const status of statuses) t.ok((await admin.get(`/govintel/signals?status=${status}`)).json.pagination.total > 0, status)
  for (const url of ['/govintel/startups', '/govintel/governments', '/govintel/government-contacts', '/contact-requests?status=pending', '/connections']) {
    t.ok((await admin.get(url)).json.pagination.total > 0, url)
  }
  for (const url of ['/signal-pool?available=true', '/startup/signals?assignmentStatus=assigned', '/startup/contact-requests', '/connections']) {
    t.ok((await aurora.get(url)).json.pagination.total > 0, url)
  }
  const { signals, pagination } = (await admin.get('/govintel/signals?limit=100')).json
  t.equal(pagination.total, 9, 'loaded once, one archived')
  for (const { id } of signals) unbroken(t, (await admin.get(`/govintel/signals/${id}/status-history`)).json)
})
