import { sql } from 'kysely'
import t from 'tap'
import type { Client } from '../helper.js'
import { actions, actorOf, approvalStatusOf, type Status, statuses, transitions } from '../../src/signals/workflow.js'
import { signalApp } from './helper.js'

t.test('the database knows the same moves as the map', async t => {
  const { database: { db } } = await signalApp(t, [])
  const { rows } = await sql<{ action: string, from: string | null, to: string, legal: boolean }>`
    select a.action, f.status as "from", t.status as "to", signal_transition_is_legal(a.action, f.status, t.status) as legal
    from unnest(${[...actions, 'other']}::text[]) a (action),
      unnest(${[...statuses, null]}::text[]) f (status), unnest(${[...statuses]}::text[]) t (status)
  `.execute(db)
  t.equal(rows.length, 13 * 8 * 7)
  const name = (row: { action: string, from: string | null, to: string }) => `${row.action} ${row.from} ${row.to}`
  t.strictSame(rows.filter(row => row.legal).map(name).sort(), transitions().map(name).sort())
})

t.test('the database refuses what hand-written SQL must not do', async t => {
  const app = await signalApp(t, ['aurora', 'boreal'])
  const { admin, startups, create, database: { db } } = app
  const [aurora] = startups as [Client]
  const id = await create()
  const refuses = async (name: string, statement: ReturnType<typeof sql>, reason: RegExp) => {
    await t.rejects(db.transaction().execute(async trx => await statement.execute(trx)), reason, name)
  }
  const history = (action: string, from: string | null, to: string, role = 'admin', startup: string | null = null) => sql`
    insert into signal_status_history (id, signal_id, action, from_status, to_status, actor_id, actor_role, startup_id)
    values (gen_random_uuid(), ${id}, ${action}, ${from}, ${to}, 'me', ${role}, ${startup})`

  for (const to of statuses.filter(status => !['signal_unassigned', 'signal_assigned', 'archived'].includes(status))) {
    await refuses(`signal_unassigned to ${to}`, sql`update signals set status = ${to} where id = ${id}`, /no action leads a signal from signal_unassigned/)
  }
  await refuses('a status without its history', sql`update signals set status = 'signal_assigned' where id = ${id}`, /status and history of signal .* disagree/)
  await refuses('a history without its status', history('assign', 'signal_unassigned', 'signal_assigned'), /disagree/)
  await refuses('a break in the chain', history('accept', 'signal_assigned', 'accepted', 'startup', 'aurora'), /ends with signal_unassigned/)
  await refuses('a second creation', history('create', null, 'signal_unassigned'), /ends with signal_unassigned/)
  await refuses('an illegal move in the history', history('assign', 'signal_unassigned', 'accepted'), /signal_status_history_legal/)
  await refuses('an action of the other role', history('assign', 'signal_unassigned', 'signal_assigned', 'startup', 'aurora'), /signal_status_history_actor/)
  await refuses('archiving without memory', sql`update signals set status = 'archived' where id = ${id}`, /must remember signal_unassigned/)
  await refuses('a false memory', sql`update signals set status = 'archived', prior_status = 'accepted' where id = ${id}`, /must remember signal_unassigned/)
  await refuses('a memory while not archived', sql`update signals set prior_status = 'accepted' where id = ${id}`, /prior status .* is fixed/)
  await refuses('a public signal that was never published', sql`update signals set is_public = true where id = ${id}`, /signals_public/)
  await refuses('an unknown status', sql`update signals set status = 'new' where id = ${id}`, /no action leads|signals_status_check/)
  await refuses('the archived flag alone', sql`update signals set is_archived = true where id = ${id}`, /is_archived/)
  await refuses('the older approval status alone', sql`update signals set approval_status = 'approved' where id = ${id}`, /approval_status/)
  for (const statement of [sql`update signal_status_history set notes = 'x'`, sql`delete from signal_status_history`, sql`truncate signal_status_history`]) {
    await refuses('a change of the history', statement, /append-only/)
  }
  await refuses('removing a signal', sql`delete from signals where id = ${id}`, /signal_status_history/)
  await admin.post(`/govintel/signals/${id}/archive`)
  await refuses('unarchiving to another status', sql`update signals set status = 'accepted', prior_status = null where id = ${id}`, /must restore signal_unassigned/)
  await admin.post(`/govintel/signals/${id}/unarchive`)

  await admin.post(`/govintel/signals/${id}/assign`, { startupIds: ['aurora', 'boreal'] })
  const assignment = (startup: string, type: string, status: string) => sql`
    insert into signal_assignments (id, signal_id, startup_id, assignment_type, status, assigned_by, responded_at)
    values (gen_random_uuid(), ${id}, ${startup}, ${type}, ${status}, ${type === 'direct' ? 'me' : null}, ${status === 'assigned' ? null : sql`now()`})`
  await refuses('a second open assignment', assignment('aurora', 'direct', 'assigned'), /signal_assignments_one_open/)
  await aurora.post(`/startup/signals/${id}/accept`)
  await refuses('a second accepted assignment', assignment('boreal', 'pool', 'accepted'), /signal_assignments_one_accepted/)
  const { contactRequest } = (await aurora.post(`/startup/signals/${id}/request-contact`, { requestSource: 'direct' })).json
  await refuses('a second pending request', sql`
    insert into contact_requests (id, signal_id, startup_id, request_source, requested_by)
    values (gen_random_uuid(), ${id}, 'aurora', 'direct', 'me')`, /contact_requests_one_pending/)
  await refuses('an approval without a connection', sql`
    update contact_requests set status = 'approved', reviewed_by = 'me', reviewed_at = now() where id = ${contactRequest.id}`, /contact_requests_approved_is_connected/)
  await refuses('an approval with a connection that is not there', sql`
    update contact_requests set status = 'approved', reviewed_by = 'me', reviewed_at = now(), connection_id = gen_random_uuid() where id = ${contactRequest.id}`, /connection_id_fkey/)
  await admin.post(`/contact-requests/${contactRequest.id}/approve`)
  await refuses('a second connection of one request', sql`
    insert into connections (id, signal_id, startup_id, contact_request_id) values (gen_random_uuid(), ${id}, 'aurora', ${contactRequest.id})`, /connections_contact_request_id_key/)
})

t.test('the older approval status in the database is the map\'s', async t => {
  const { database: { db } } = await signalApp(t, [])
  const { rows } = await db.transaction().execute(async trx => {
    // The columns without the guards: no sequence of actions need reach every pair here.
    await sql`create temp table copies (like signals including defaults including generated) on commit drop`.execute(trx)
    for (const status of statuses.filter(status => status !== 'archived')) {
      await sql`insert into copies (id, title, description, search_text, created_by, status, prior_status)
        values (gen_random_uuid(), 't', 'd', 'd', 'me', ${status}, null), (gen_random_uuid(), 't', 'd', 'd', 'me', 'archived', ${status})`.execute(trx)
    }
    return await sql<{ status: Status, prior_status: Status | null, approval_status: string | null, is_archived: boolean }>`
      select status, prior_status, approval_status, is_archived from copies`.execute(trx)
  })
  t.equal(rows.length, 12)
  for (const row of rows) {
    t.equal(row.approval_status, approvalStatusOf(row.prior_status ?? row.status))
    t.equal(row.is_archived, row.status === 'archived')
  }
})

t.test('the history names the role that each action belongs to', async t => {
  const { database: { db } } = await signalApp(t, [])
  const { rows } = await sql<{ definition: string }>`select pg_get_constraintdef(oid) as definition from pg_constraint where conname = 'signal_status_history_actor'`.execute(db)
  const inDatabase = actions.filter(action => rows[0]?.definition.includes(`'${action}'`))
  t.strictSame(inDatabase, actions.filter(action => actorOf(action) === 'startup'))
})
