import t from 'tap'
import type { Client } from '../helper.js'
import { signalApp, unbroken } from './helper.js'

t.test('the whole walk for both sources: rejected, requested again, approved, archived', async t => {
  const { admin, startups, create, history, detail } = await signalApp(t)
  const [aurora] = startups as [Client]
  for (const source of ['direct', 'pool'] as const) {
    t.test(source, async t => {
      const id = await create()
      const step = async (client: Client, url: string, body: unknown, code: number, status: string) => {
        const answer = await client.post(url, body)
        t.equal(answer.status, code, url)
        t.equal(answer.json.signal.status, status)
        return answer.json
      }
      if (source === 'direct') {
        await step(admin, `/govintel/signals/${id}/assign`, { startupIds: ['aurora'] }, 200, 'signal_assigned')
        await step(aurora, `/startup/signals/${id}/accept`, {}, 200, 'accepted')
      } else {
        await step(admin, `/govintel/signals/${id}/publish`, undefined, 200, 'signal_assigned')
        t.strictSame((await aurora.post(`/signal-pool/${id}/view`)).json, { success: true })
        await step(aurora, `/signal-pool/${id}/accept`, undefined, 201, 'accepted')
      }
      const ask = `/startup/signals/${id}/request-contact`
      const first = await step(aurora, ask, { requestSource: source }, 201, 'contact_request_pending')
      await step(admin, `/contact-requests/${first.contactRequest.id}/reject`, { reviewNotes: 'Say more' }, 200, 'contact_request_rejected')
      const second = await step(aurora, ask, { requestSource: source, message: 'More' }, 201, 'contact_request_pending')
      const approved = await step(admin, `/contact-requests/${second.contactRequest.id}/approve`, { decision: 'approved' }, 200, 'contact_request_approved')
      await step(admin, `/govintel/signals/${id}/archive`, {}, 200, 'archived')

      const rows = await history(id)
      unbroken(t, rows)
      t.strictSame(rows.map((row: { action: string }) => row.action), [
        'create', source === 'direct' ? 'assign' : 'publish', source === 'direct' ? 'accept' : 'pool_accept',
        'request_contact', 'reject_contact', 'request_contact', 'approve_contact', 'archive'
      ])
      t.strictSame(rows.map((row: { actorRole: string }) => row.actorRole), ['admin', 'admin', 'startup', 'startup', 'admin', 'startup', 'admin', 'admin'])
      t.strictSame((await aurora.get('/connections')).json.connections[0], approved.connection)
      t.equal((await detail(id)).viewCount, source === 'pool' ? 1 : 0)
    })
  }
})
