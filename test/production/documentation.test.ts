import t from 'tap'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { adminClaims, testDatabase, token } from '../helper.js'
import { startService } from './service.js'

const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(file => existsSync(file))
const pictures = fileURLToPath(new URL('../../.local/screenshots/', import.meta.url))

t.test('the documentation in a browser', { skip: program === undefined ? 'no chromium is installed' : false }, async t => {
  const { base } = await startService(t, { DATABASE_URL: await testDatabase(t) })
  const browser = await chromium.launch({ executablePath: program as string, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  await mkdir(pictures, { recursive: true })
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } })
  page.setDefaultTimeout(30_000)
  const complaints: string[] = []
  page.on('console', message => { if (message.type() === 'error') complaints.push(message.text()) })
  page.on('pageerror', error => { complaints.push(String(error)) })

  await page.goto(`${base}/documentation`)
  await page.waitForSelector('.opblock')
  t.match(await page.title(), /Legal documents and signals/)
  t.ok(await page.locator('.opblock').count() > 40, 'it shows the operations')
  await page.screenshot({ path: `${pictures}page.png` })

  const states = page.locator('img[alt="The states of a signal"]')
  await states.waitFor()
  t.ok(await states.evaluate((image: { naturalWidth: number }) => image.naturalWidth) > 0, 'and the states of a signal')

  await page.getByRole('button', { name: 'Authorize' }).first().click()
  await page.locator('.auth-container input').fill(await token(adminClaims))
  await page.locator('.auth-container').getByRole('button', { name: 'Apply credentials' }).click()
  await page.screenshot({ path: `${pictures}authorize.png` })
  await page.locator('.modal-ux').getByRole('button', { name: 'Close', exact: true }).click()

  const status = page.locator('.opblock', { has: page.locator('[data-path="/legal/status"]') })
  await status.locator('.opblock-summary').click()
  await status.getByRole('button', { name: 'Execute' }).click()
  await status.locator('.live-responses-table .response-col_status').last().waitFor()
  t.match(await status.locator('.live-responses-table').innerText(), /200[\s\S]*needsAcceptance/, 'Try it out works with the token')
  await status.screenshot({ path: `${pictures}try-it-out.png` })
  await page.screenshot({ path: `${pictures}whole.png`, fullPage: true })
  t.same(complaints, [], 'the browser has nothing to complain about')
})
