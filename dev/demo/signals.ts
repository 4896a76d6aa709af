import type { Kysely } from 'kysely'
import type { Database } from '../../src/database/schema.js'
import { acceptAssignment, acceptFromPool, assignSignal, declineAssignment } from '../../src/signals/assignments.js'
import { approveRequest, rejectRequest, requestContact } from '../../src/signals/contact-requests.js'
import type { CreateSignalBody } from '../../src/signals/inputs.js'
import { archiveSignal, publishSignal, unpublishSignal } from '../../src/signals/lifecycle.js'
import { recordView } from '../../src/signals/pool.js'
import { putGovernment, putGovernmentContact, putStartup } from '../../src/signals/reference.js'
import { createSignal } from '../../src/signals/signals.js'

const admin = { userId: 'demo-admin' }
const aurora = { userId: 'demo-startup', startupId: 'startup-aurora' }
const basalt = { userId: 'demo-basalt', startupId: 'startup-basalt' }
const cinder = { userId: 'demo-cinder', startupId: 'startup-cinder' }

const startups = {
  'startup-aurora': 'Aurora Sensing',
  'startup-basalt': 'Basalt Robotics',
  'startup-cinder': 'Cinder & Söhne Energietechnik',
  'startup-drift': 'Drift Mobility',
  'startup-ember': 'Ember Health'
}

const governments = {
  'gov-harbour': 'Harbour City Council',
  'gov-northmoor': 'Northmoor County',
  'gov-lindental': 'Stadt Lindental',
  'gov-water': 'River Basin Authority'
}

const contacts = {
  'contact-ines': { governmentId: 'gov-harbour', name: 'Ines Okafor', email: 'ines.okafor@harbour.example', role: 'Innovation lead' },
  'contact-tom': { governmentId: 'gov-northmoor', name: 'Tom Berglund', email: 'tom.berglund@northmoor.example' },
  'contact-jana': { governmentId: 'gov-lindental', name: 'Jana Weiß', role: 'Amt für Mobilität' },
  'contact-rui': { governmentId: 'gov-water', name: 'Rui Almeida', email: 'rui@basin.example', role: 'Head of monitoring' }
}

const signals = {
  buses: {
    title: 'Quieter night buses',
    description: 'Residents along three routes report noise after midnight. We look for ways to find the loudest stops and vehicles without ' +
      'recording anybody, and for measures that drivers accept.',
    visibilityLevel: 'national',
    solutionCategory: 'Mobility',
    governmentId: 'gov-harbour',
    governmentContactId: 'contact-ines'
  },
  leaks: {
    title: 'Find leaks in old water mains',
    description: 'A fifth of the drinking water is lost before it reaches a meter. The mains date from four different decades and cannot be dug up ' +
      'to be looked at. A trial on twelve kilometres is possible this year.',
    visibilityLevel: 'national',
    solutionCategory: 'Water',
    governmentId: 'gov-water',
    governmentContactId: 'contact-rui'
  },
  forms: {
    title: 'Anträge in einfacher Sprache',
    description: 'Viele Anträge werden falsch ausgefüllt, weil niemand sie versteht. Gesucht wird ein Weg, Formulare zu prüfen und umzuschreiben, ' +
      'ohne dass ihre rechtliche Bedeutung sich ändert.',
    visibilityLevel: 'regional',
    solutionCategory: 'Services',
    governmentId: 'gov-lindental',
    governmentContactId: 'contact-jana'
  },
  potholes: {
    title: 'Potholes before they are potholes',
    description: 'Road crews drive every street twice a week. Could what they see on the way tell us which surface will break next winter?',
    visibilityLevel: 'regional',
    solutionCategory: 'Mobility',
    governmentId: 'gov-northmoor',
    governmentContactId: 'contact-tom'
  },
  heat: {
    title: 'Cool rooms for hot days',
    description: 'During the last heat wave nobody knew which public rooms were cool, open and not full. People who need them most do not use apps.',
    visibilityLevel: 'local',
    solutionCategory: 'Health',
    governmentId: 'gov-harbour'
  },
  archive: {
    title: 'Read the handwritten land register',
    description: 'Forty thousand pages in three scripts, scanned and unread. Every sale of land before 1890 begins with a week in the reading room.',
    visibilityLevel: 'national',
    solutionCategory: 'Services',
    governmentId: 'gov-northmoor',
    governmentContactId: 'contact-tom'
  },
  flood: {
    title: 'Flood warning for small rivers',
    description: 'The large rivers are measured, the small ones flood the villages. Sensors must be cheap, survive ice and be mended by volunteers.',
    visibilityLevel: 'national',
    solutionCategory: 'Water',
    governmentId: 'gov-water',
    governmentContactId: 'contact-rui'
  },
  kitchens: {
    title: 'Less waste in school kitchens',
    description: 'Nobody knows at ten how many will eat at noon. A third of what is cooked on Fridays is thrown away.',
    visibilityLevel: 'local',
    solutionCategory: 'Environment',
    governmentId: 'gov-lindental',
    governmentContactId: 'contact-jana'
  },
  lights: {
    title: 'Street lights that know when a lamp will fail',
    description: 'We replace lamps when somebody calls. The poles have power and a number; what else do they need?',
    solutionCategory: 'Energy',
    governmentId: 'gov-harbour',
    governmentContactId: 'contact-ines'
  },
  permits: {
    title: 'Where is my building permit?',
    description: 'Half of all calls to the building office ask for nothing but the state of an application.',
    visibilityLevel: 'local',
    solutionCategory: 'Services',
    governmentId: 'gov-northmoor'
  }
} satisfies Record<string, CreateSignalBody>

/**
 * Loads governments, contacts, startups and signals in every status, by the service's own transitions, so that their
 * histories are true. Does nothing where there are signals already.
 */
export async function loadSignals (db: Kysely<Database>): Promise<void> {
  if (await db.selectFrom('signals').select('id').limit(1).executeTakeFirst() !== undefined) return
  for (const [id, name] of Object.entries(startups)) await putStartup(db, id, { name })
  for (const [id, name] of Object.entries(governments)) await putGovernment(db, id, { name })
  for (const [id, contact] of Object.entries(contacts)) await putGovernmentContact(db, id, contact)

  const ids = {} as Record<keyof typeof signals, string>
  for (const [name, fields] of Object.entries(signals)) {
    ids[name as keyof typeof signals] = (await createSignal(db, admin, fields)).id
  }
  await loadPool(db, ids)
  await loadDirect(db, ids)
}

type Ids = Record<keyof typeof signals, string>

/** Open in the pool, taken from it, rejected, and taken back out of it. */
async function loadPool (db: Kysely<Database>, { buses, flood, heat, archive, permits }: Ids): Promise<void> {
  for (const id of [heat, flood, archive, permits, buses]) await publishSignal(db, id, admin, {})
  for (const startupId of Object.keys(startups)) {
    await recordView(db, buses, startupId)
    await recordView(db, flood, startupId)
  }
  await recordView(db, buses, aurora.startupId)

  await acceptFromPool(db, archive, basalt, 'Our reader was trained on parish books of the same hands.')
  await acceptFromPool(db, heat, cinder, undefined)
  const { contactRequest } = await requestContact(db, heat, cinder, { requestSource: 'pool', message: 'We would start with libraries.' })
  await rejectRequest(db, contactRequest.id, admin, 'The city wants to try it without sensors in rooms first.')
  await unpublishSignal(db, permits, admin)
}

/** New in an inbox, declined, waiting for a review, connected, and archived. */
async function loadDirect (db: Kysely<Database>, { leaks, forms, potholes, kitchens, lights }: Ids): Promise<void> {
  await assignSignal(db, potholes, admin, { startupIds: ['startup-aurora', 'startup-basalt', 'startup-drift'], notes: 'You all drive through Northmoor.' })
  await declineAssignment(db, potholes, basalt, 'No capacity before summer.')

  await assignSignal(db, forms, admin, { startupIds: ['startup-aurora'] })
  await acceptAssignment(db, forms, aurora, 'We have done this for two other towns.')
  await requestContact(db, forms, aurora, { requestSource: 'direct', message: 'May we see ten of the forms?' })

  await assignSignal(db, leaks, admin, { startupIds: ['startup-aurora', 'startup-cinder'] })
  await acceptAssignment(db, leaks, aurora, 'Our hydrophones fit the old valves.')
  const { contactRequest } = await requestContact(db, leaks, aurora, { requestSource: 'direct' })
  await approveRequest(db, contactRequest.id, admin, 'The authority expects your call.')

  await assignSignal(db, kitchens, admin, { startupIds: ['startup-ember'] })
  await archiveSignal(db, 'archive', kitchens, admin, 'The schools found a caterer who counts.')
  await assignSignal(db, lights, admin, { startupIds: ['startup-cinder'] })
  await declineAssignment(db, lights, cinder, 'Not our field.')
}
