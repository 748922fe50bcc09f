import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { treeOf } from '../disk.ts'
import type { EngineLocator, EnginePage } from '../drivers/engine.ts'
import { callApi } from '../people.ts'
import { expect, type Product } from '../product.ts'
import { picture } from '../samples/picture.ts'
import { test } from './engines.ts'

test.beforeEach(({ product }) =>
  product.put({
    'Photos/a lake.png': picture(300, 200),
    'Photos/b hill.png': picture(200, 300, [150, 60, 60]),
    'letter.txt': 'Dear reader',
    'list.txt': 'bread',
  }),
)

const row = (tab: EnginePage, name: string): EngineLocator =>
  tab.getByRole('grid', { name: 'Files' }).getByRole('row', { name, exact: true })

const heading = (tab: EnginePage, name: string): EngineLocator => tab.getByRole('heading', { name, exact: true })

const expectAttribute = (locator: EngineLocator, name: string, value: string): Promise<void> =>
  expect.poll(() => locator.getAttribute(name)).toBe(value)

async function signIn(tab: EnginePage, product: Product, password = product.password): Promise<void> {
  await tab.goto(new URL('login', product.url).href)
  await tab.getByRole('textbox', { name: 'Username' }).fill(product.username)
  await tab.getByLabel('Password', { exact: true }).fill(password)
  await tab.getByRole('button', { name: 'Login' }).click()
}

async function openFiles(tab: EnginePage, product: Product): Promise<void> {
  await signIn(tab, product)
  await row(tab, 'letter.txt').waitFor()
}

test('sign-in refuses a wrong password, and sign-out ends the session', async ({ tab, product }) => {
  await signIn(tab, product, 'no such password')
  await tab.getByRole('alert').waitFor()
  await openFiles(tab, product)
  await tab.getByRole('button', { name: 'Logout' }).click()
  await tab.getByRole('form', { name: 'Login' }).waitFor()
  await tab.goto(new URL('files/', product.url).href)
  await tab.getByRole('form', { name: 'Login' }).waitFor()
})

test('a folder opens by double click, and a breadcrumb leads back', async ({ tab, product }) => {
  await openFiles(tab, product)
  await row(tab, 'Photos').dblclick()
  await row(tab, 'b hill.png').waitFor()
  await tab.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Home' }).click()
  await row(tab, 'list.txt').waitFor()
})

test('a folder is created, and renamed with F2', async ({ tab, product }) => {
  await openFiles(tab, product)
  await tab.getByRole('button', { name: 'New folder' }).click()
  const creation = tab.getByRole('dialog', { name: 'New directory' })
  await creation.getByRole('textbox', { name: 'Name' }).fill('Walks')
  await creation.getByRole('button', { name: 'Create' }).click()
  await creation.waitFor({ state: 'hidden' })
  await expectAttribute(row(tab, 'Walks'), 'aria-selected', 'true')

  await row(tab, 'Walks').click()
  await tab.keyboard.press('F2')
  const renaming = tab.getByRole('dialog', { name: 'Rename' })
  await renaming.getByRole('textbox', { name: 'New name' }).fill('Long walks')
  await tab.keyboard.press('Enter')
  await renaming.waitFor({ state: 'hidden' })
  await row(tab, 'Long walks').waitFor()
  expect(Object.keys(treeOf(product.root))).toContain('Long walks/')
  expect(Object.keys(treeOf(product.root))).not.toContain('Walks/')
})

test('a file is uploaded with its content', async ({ tab, product }) => {
  const folder = await mkdtemp(join(tmpdir(), 'filestead-smoke-'))
  try {
    await writeFile(join(folder, 'sent.txt'), 'from another engine')
    await openFiles(tab, product)
    await tab.setInputFiles('#upload-input', join(folder, 'sent.txt'))
    await tab.getByRole('region', { name: 'Uploads' }).getByRole('heading', { name: 'Uploads finished' }).waitFor()
    await row(tab, 'sent.txt').waitFor()
    expect(treeOf(product.root)).toMatchObject({ 'sent.txt': 'from another engine' })
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('two selected files are deleted after a question', async ({ tab, product }) => {
  await openFiles(tab, product)
  await row(tab, 'letter.txt').click()
  await row(tab, 'list.txt').click({ modifiers: ['ControlOrMeta'] })
  await expectAttribute(row(tab, 'letter.txt'), 'aria-selected', 'true')
  await expectAttribute(row(tab, 'list.txt'), 'aria-selected', 'true')
  await tab.keyboard.press('Delete')
  const question = tab.getByRole('alertdialog', { name: 'Delete files' })
  await question.getByRole('button', { name: 'Delete' }).click()
  await question.waitFor({ state: 'hidden' })
  await row(tab, 'letter.txt').waitFor({ state: 'hidden' })
  await row(tab, 'list.txt').waitFor({ state: 'hidden' })
  expect(Object.keys(treeOf(product.root))).toEqual(['Photos/', 'Photos/a lake.png', 'Photos/b hill.png'])
})

test('a picture opens, the arrow key steps to the next one, and it closes', async ({ tab, product }) => {
  await openFiles(tab, product)
  await row(tab, 'Photos').dblclick()
  await row(tab, 'a lake.png').dblclick()
  await heading(tab, 'a lake.png').waitFor()
  await expectAttribute(tab.getByRole('img', { name: 'a lake.png', exact: true }), 'data-shown', 'true')
  await tab.keyboard.press('ArrowRight')
  await heading(tab, 'b hill.png').waitFor()
  await expectAttribute(tab.getByRole('img', { name: 'b hill.png', exact: true }), 'data-shown', 'true')
  await tab.getByRole('region', { name: 'Preview' }).getByRole('button', { name: 'Close', exact: true }).click()
  await row(tab, 'b hill.png').waitFor()
})

test('a text is edited and saved with Ctrl+S', async ({ tab, product }) => {
  await openFiles(tab, product)
  await row(tab, 'letter.txt').dblclick()
  const editor = tab.getByRole('region', { name: 'Editor' })
  await editor.getByRole('textbox', { name: 'File content' }).click()
  await tab.keyboard.press('ControlOrMeta+End')
  await tab.keyboard.type(', good night')
  await expectAttribute(editor, 'data-dirty', 'true')
  await tab.keyboard.press('ControlOrMeta+s')
  await expectAttribute(editor, 'data-dirty', 'false')
  expect(treeOf(product.root)).toMatchObject({ 'letter.txt': 'Dear reader, good night' })
})

test('search finds a name in a folder below, and opens it', async ({ tab, product }) => {
  await openFiles(tab, product)
  await tab.keyboard.press('ControlOrMeta+Shift+F')
  const dialog = tab.getByRole('dialog', { name: 'Search' })
  await dialog.getByRole('searchbox', { name: 'Search' }).fill('lake')
  await tab.keyboard.press('Enter')
  await dialog.getByRole('link', { name: 'Photos/a lake.png' }).click()
  await heading(tab, 'a lake.png').waitFor()
})

test('a visitor of a link sees the folder, and nothing of the account', async ({ tab, product }) => {
  const { hash } = (await (await callApi(product, 'POST', 'share/Photos', {})).json()) as { hash: string }
  await tab.goto(new URL(`share/${hash}`, product.url).href)
  await heading(tab, 'Photos').waitFor()
  const shared = tab.getByRole('grid', { name: 'Shared files' })
  await shared.getByRole('row', { name: 'a lake.png', exact: true }).waitFor()
  expect(await tab.getByRole('link', { name: 'Download' }).getAttribute('href')).toContain('/api/public/dl/')
  await tab.getByRole('button', { name: 'Logout' }).waitFor({ state: 'hidden' })
})
