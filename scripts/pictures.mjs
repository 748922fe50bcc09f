// `npm run pictures`: takes the pictures of the README from the real product, light and dark, with files made up for them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBrowser } from './browser.mjs'
import { prepare, root } from './prepare.mjs'

const require = createRequire(join(root, 'e2e/package.json'))
const { chromium } = require('@playwright/test')
const sharp = createRequire(join(root, 'server/package.json'))('sharp')

const password = 'lamp in the window'
const port = 18_080
const url = `http://127.0.0.1:${port}`

prepare()
const home = mkdtempSync(join(tmpdir(), 'filestead-pictures-'))
const files = join(home, 'files')
const database = join(home, 'filestead.db')
const out = join(root, 'docs/images')

await fill()
// What a first start stores; `config init` stores no name.
await run('config', 'init', '-d', database, '--branding.name', 'Filestead')
await run('users', 'add', 'anna', password, '--perm.admin', '--viewMode', 'list', '-d', database)
const server = start('-d', database, '-r', files, '-a', '127.0.0.1', '-p', String(port))
try {
  await untilHealthy()
  await takePictures()
} finally {
  server.kill('SIGTERM')
  await once(server, 'exit')
  rmSync(home, { recursive: true, force: true })
}

async function takePictures() {
  const browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox', '--disable-gpu'] })
  const view = { viewport: { width: 1280, height: 800 }, locale: 'en-US' }
  const page = await browser.newPage(view)
  await page.goto(`${url}/login`)
  await page.getByLabel('Username').fill('anna')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Login' }).click()
  for (const name of ['coast.jpg', 'Budget 2026.xlsx']) {
    await page.getByRole('row', { name, exact: true }).click({ modifiers: ['ControlOrMeta'] })
  }
  await takeBoth(page, 'listing')

  const token = await page.evaluate(() => localStorage.getItem('jwt'))
  const answer = await fetch(`${url}/api/share/Photos`, { method: 'POST', headers: { 'X-Auth': token }, body: '{}' })
  const { hash } = await answer.json()
  const visitor = await browser.newPage(view)
  await visitor.goto(`${url}/share/${hash}`)
  await takeBoth(visitor, 'share')
  await browser.close()
}

/** The page in both themes. */
async function takeBoth(page, name) {
  await settled(page)
  // Colours would fade from one theme to the other.
  await page.addStyleTag({ content: '*, ::before, ::after { transition: none !important }' })
  for (const [colorScheme, suffix] of [
    ['light', ''],
    ['dark', '-dark'],
  ]) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: join(out, `${name}${suffix}.png`) })
  }
}

/** Everything is there, pictures included. */
async function settled(page) {
  await page.locator('main[aria-busy="false"]').waitFor()
  await page.waitForLoadState('networkidle')
  await page.waitForFunction(() => [...document.images].every((image) => image.complete))
}

/** Files of a household, and generated landscapes without a copyright. */
async function fill() {
  for (const folder of ['Archive', 'Family', 'House plans', 'Invoices 2026', 'Music', 'Photos/Panoramas', 'Recipes']) {
    mkdirSync(join(files, folder), { recursive: true })
  }
  const sizes = {
    'Annual report 2025.pdf': 2_900_000,
    'Budget 2026.xlsx': 86_000,
    'compose.yml': 2100,
    'deploy.sh': 1200,
  }
  for (const [name, size] of Object.entries(sizes)) writeFileSync(join(files, name), Buffer.alloc(size, 'x'))
  const skies = {
    coast: ['#8fc1e3', '#f7e6c4', '#3b6f6f'],
    'first-light': ['#f7b267', '#f4845f', '#5b3a4a'],
    'pine-fog': ['#dfe7e2', '#a9bcb2', '#3f5a4c'],
    dunes: ['#a7d0e8', '#f3ddb3', '#c98f4f'],
    moonrise: ['#101a33', '#33466f', '#0b1220'],
    meadow: ['#b8dff2', '#e9f3c9', '#5f9a3f'],
    harbour: ['#f2c48d', '#d77a61', '#27384d'],
    heath: ['#c9b6d9', '#e8c7c8', '#6f4f78'],
  }
  for (const [name, [high, low, ground]] of Object.entries(skies)) {
    const picture = await landscape(high, low, ground)
    writeFileSync(join(files, 'Photos', `${name}.jpg`), picture)
    if (name === 'coast' || name === 'meadow') writeFileSync(join(files, `${name}.jpg`), picture)
  }
  // Things that were touched one after the other, over a year.
  const days = { Archive: 400, Family: 2, 'House plans': 60, 'Invoices 2026': 9, Music: 200, Photos: 0.1, Recipes: 21 }
  const more = { 'Annual report 2025.pdf': 90, 'Budget 2026.xlsx': 1, 'compose.yml': 0.2, 'deploy.sh': 120 }
  for (const [name, age] of Object.entries({ ...days, ...more, 'coast.jpg': 14, 'meadow.jpg': 33 })) {
    const time = new Date(Date.now() - age * 86_400_000)
    utimesSync(join(files, name), time, time)
  }
}

function landscape(high, low, ground) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="800">
    <defs><linearGradient id="s" x2="0" y2="1"><stop stop-color="${high}"/><stop offset="1" stop-color="${low}"/></linearGradient></defs>
    <rect width="1200" height="800" fill="url(#s)"/><circle cx="880" cy="300" r="60" fill="#fff" opacity=".7"/>
    <path d="M0 560C250 430 420 520 640 480s330-90 560 10v310H0Z" fill="${ground}" opacity=".45"/>
    <path d="M0 650c260-90 520-20 740-60s300-40 460 10v200H0Z" fill="${ground}"/></svg>`
  return sharp(Buffer.from(svg)).jpeg({ quality: 88 }).toBuffer()
}

async function untilHealthy() {
  for (let tries = 0; tries < 100; tries += 1) {
    const response = await fetch(`${url}/health`).catch(() => null)
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('The server did not become healthy')
}

async function run(...args) {
  const [code] = await once(start(...args), 'exit')
  if (code !== 0) throw new Error(`filestead ${args.join(' ')} ended with ${code}`)
}

function start(...args) {
  return spawn(join(root, 'bin/filestead'), args, { cwd: home, stdio: ['ignore', 'ignore', 'inherit'] })
}
