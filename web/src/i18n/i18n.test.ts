import { afterAll, beforeEach, expect, test } from 'bun:test'
import type { TextSet } from './text-sets.ts'

Object.assign(globalThis, { textsFolder: 'texts', document: { documentElement: {} } })
Object.defineProperty(navigator, 'languages', { value: ['en'], configurable: true })
const { needTexts, switchLanguage, t } = await import('./i18n.ts')

const texts: Record<TextSet, (language: string) => object> = {
  login: (language) => ({ login: { login: `${language} login` } }),
  visit: (language) => ({ ...texts.login(language), visit: { title: `${language} visit` } }),
  files: (language) => ({ ...texts.visit(language), files: { name: `${language} name` } }),
  palette: (language) => ({ search: { search: `${language} search` } }),
  editor: (language) => ({ editor: { save: `${language} save` } }),
  jobs: (language) => ({ search: { search: `${language} search` } }),
  rights: (language) => ({ rights: { title: `${language} rights` } }),
  archives: (language) => ({ archives: { list: `${language} list` } }),
  history: (language) => ({ history: { title: `${language} title` } }),
  trash: (language) => ({ trash: { title: `${language} trash` } }),
  settings: (language) => ({ ...texts.rights(language), settings: { updated: `${language} updated` } }),
}

/** Requests, by name of file, and how each one is answered. */
const asked: string[] = []
let answer: (name: string) => Promise<Response>
const realFetch = globalThis.fetch
globalThis.fetch = ((url: URL) => {
  const name = url.pathname.split('/').at(-1) ?? ''
  asked.push(name)
  return answer(name)
}) as unknown as typeof fetch
afterAll(() => {
  globalThis.fetch = realFetch
})

const deliver = async (name: string): Promise<Response> => {
  const [language = '', set] = name.split('.')
  return Response.json(texts[set as TextSet](language))
}

beforeEach(() => {
  asked.length = 0
  answer = deliver
})

test('the first language comes with the texts that are needed by then, in one request', async () => {
  await needTexts('login')
  expect(asked).toEqual([])
  await switchLanguage('de')
  expect(asked).toEqual(['de.login.json'])
  expect(t('login.login')).toBe('de login')
  expect(t('files.name')).toBe('files.name')
})

test('English stands in where further texts do not come, and they are asked for again with the language', async () => {
  answer = async () => new Response('', { status: 502 })
  await needTexts('files')
  expect(t('files.name')).toBe('Name')
  asked.length = 0
  answer = deliver
  await Promise.all([switchLanguage('de'), needTexts('files')])
  expect(asked).toEqual(['de.files.json'])
  expect(t('files.name')).toBe('de name')
  await needTexts('login', 'visit')
  expect(asked).toHaveLength(1)
})

test('texts that are needed while another language is on its way are shown in the present one, then in that', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  answer = async (name) => {
    if (name.startsWith('fr')) await held
    return deliver(name)
  }
  const ready = needTexts('settings')
  const switching = switchLanguage('fr')
  await ready
  expect(t('settings.updated')).toBe('de updated')
  release()
  await switching
  expect(t('settings.updated')).toBe('fr updated')
  // The larger set holds the smaller ones.
  expect(asked.filter((name) => name.startsWith('fr')).sort()).toEqual(['fr.files.json', 'fr.settings.json'])
})

test('the present language stays where another one does not come', async () => {
  answer = async () => new Response('', { status: 404 })
  await switchLanguage('pl')
  expect(t('login.login')).toBe('fr login')
})
