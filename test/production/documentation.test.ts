import t, { type Test } from 'tap'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { adminClaims, testDatabase, token } from '../helper.js'
import { startService } from './service.js'

const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(file => existsSync(file))
const skip = program === undefined ? 'no chromium is installed' : false
const pictures = fileURLToPath(new URL('../../.local/screenshots/', import.meta.url))

/** A browser's page, and what the browser had to complain about it. */
async function openPage (t: Test, colorScheme: 'light' | 'dark'): Promise<{ page: Page, complaints: string[] }> {
  const browser = await chromium.launch({
    executablePath: program as string,
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
  })
  t.teardown(() => browser.close())
  const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 1000 } })
  page.setDefaultTimeout(30_000)
  const complaints: string[] = []
  page.on('console', message => { if (message.type() === 'error') complaints.push(message.text()) })
  page.on('pageerror', error => { complaints.push(String(error)) })
  return { page, complaints }
}

for (const [basePath, colorScheme] of [['', 'light'], ['/api/v1', 'dark']] as const) {
  t.test(`the documentation in a browser, ${basePath === '' ? 'at the root' : 'under a base path'}, ${colorScheme}`, { skip }, async t => {
    const { base, lines } = await startService(t, { DATABASE_URL: await testDatabase(t), BASE_PATH: basePath })
    const { page, complaints } = await openPage(t, colorScheme)
    const folder = `${pictures}${colorScheme}/`
    await mkdir(folder, { recursive: true })
    const operation = (path: string, method: string) =>
      page.locator(`.opblock-${method}`, { has: page.locator(`[data-path="${path}"]`) })
    const execute = async (path: string, method: string) => {
      const block = operation(path, method)
      await block.locator('.opblock-summary').click()
      await page.waitForTimeout(500)
      await block.screenshot({ path: `${folder}${method}-open.png` })
      await block.getByRole('button', { name: 'Execute' }).click()
      await block.locator('.live-responses-table .response-col_status').last().waitFor()
      await block.locator('.live-responses-table').screenshot({ path: `${folder}${method}-answer.png` })
      return await block.locator('.live-responses-table').innerText()
    }

    const answer = await page.goto(`${base}${basePath}/documentation`)
    t.match(await answer?.headerValue('content-security-policy'), /default-src 'self'.*object-src 'none';script-src 'self';script-src-attr 'none'/)
    await page.waitForSelector('.opblock')
    t.match(await page.title(), /Legal documents and signals/)
    t.ok(await page.locator('.opblock').count() > 40, 'it shows the operations')
    const icon = await page.locator('link[rel="icon"]').getAttribute('href') as string
    t.equal((await page.request.get(new URL(icon, page.url()).href)).headers()['content-type'], 'image/svg+xml')
    await page.screenshot({ path: `${folder}top.png` })

    const states = page.locator('img[alt="The states of a signal"]')
    await states.waitFor()
    t.ok(await states.evaluate((image: { naturalWidth: number }) => image.naturalWidth) > 0, 'and the states of a signal')
    await states.screenshot({ path: `${folder}states.png` })

    await page.getByRole('button', { name: 'Authorize' }).first().click()
    await page.locator('.auth-container input').fill(await token(adminClaims))
    await page.screenshot({ path: `${folder}authorize.png` })
    await page.locator('.auth-container').getByRole('button', { name: 'Apply credentials' }).click()
    await page.screenshot({ path: `${folder}authorized.png` })
    await page.locator('.modal-ux').getByRole('button', { name: 'Close', exact: true }).click()

    t.match(await execute('/legal/status', 'get'), /200[\s\S]*needsAcceptance/, 'Try it out works with the token')
    t.match(await execute('/legal/admin/documents', 'post'), /201[\s\S]*createdAt/, 'the example of a body is one that the service takes')
    await page.screenshot({ path: `${folder}whole.png`, fullPage: true })

    await page.reload()
    await page.waitForSelector('.opblock')
    t.match(await execute('/legal/admin/users', 'get'), /200[\s\S]*"users"/, 'the token is kept over a reload')
    t.ok(lines.some(line => line['route'] === `${basePath}/legal/admin/documents` && line['status'] === 201))
    t.same(complaints, [], 'the browser has nothing to complain about')
  })
}
