import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import en from './en.json'
import { type TextSet, textSets, textsOf } from './text-sets.ts'

const root = join(import.meta.dirname, '..')
const sections = Object.keys(en).join('|')

/** The modules that each page begins with, as in app/routes.ts. */
const beginnings: Record<string, { modules: string[]; sets: TextSet[] }> = {
  login: { modules: ['main.tsx', 'auth/LoginScreen.tsx'], sets: ['login'] },
  'page of a link': { modules: ['main.tsx', 'app/Stage.tsx', 'public-share/ShareScreen.tsx'], sets: ['visit'] },
  files: {
    modules: ['main.tsx', 'app/Stage.tsx', 'app/SidebarFrame.tsx', 'files/FilesScreen.tsx', 'errors/ErrorScreen.tsx'],
    // The others are loaded with the dialogs and views that use them.
    sets: ['files', 'palette', 'editor', 'jobs', 'rights', 'archives', 'history', 'trash'],
  },
}

test.each(Object.entries(beginnings))('%s: every text that its modules use is in its set', (_, { modules, sets }) => {
  const held = sets.flatMap((set) => textSets[set])
  const isHeld = (key: string) => held.some((name) => key === name || key.startsWith(`${name}.`))
  const missing = [...reachable(modules)].flatMap((file) =>
    keysIn(file)
      .filter((key) => !isHeld(key))
      .map((key) => `${file} ${key}`),
  )
  expect(missing).toEqual([])
})

test('the sets together hold every text', () => {
  const sets = (Object.keys(textSets) as TextSet[]).map((set) => textsOf(set, en))
  expect(Object.assign({}, ...sets)).toEqual(en)
})

test('each of login, page of a link and files holds the one before', () => {
  const [login, visit, files] = (['login', 'visit', 'files'] as const).map((set) => textsOf(set, en))
  expect(visit).toMatchObject(login ?? {})
  expect(files).toMatchObject(visit ?? {})
})

test('a part of a section comes without the rest of it', () => {
  const { settings } = textsOf('login', en) as typeof en
  expect(settings.password).toEqual(en.settings.password)
  expect(Object.keys(settings.user)).toEqual(['nameTaken', 'emptyName', 'noFolderName'])
  expect(Object.keys(settings)).toEqual(['password', 'user'])
})

/** Names pages of the settings in the palette, and loads their texts before. */
const loadsItsTexts = './palette-entries.ts'

/** What the modules import, lazy imports included, but for the screens of other addresses. */
function reachable(from: readonly string[]): Set<string> {
  const found = new Set(from)
  for (const file of found) {
    const imports = read(file).matchAll(/^(?:import|export)(?! type)[^'(]*'(\.[^']*\.tsx?)'|\bimport\('(\.[^']*)'\)/gm)
    for (const [, fixed, lazy = ''] of imports)
      if (fixed !== undefined || (file !== 'app/routes.ts' && lazy !== loadsItsTexts))
        found.add(new URL(fixed ?? lazy, `file:///${file}`).pathname.slice(1))
  }
  return found
}

/** 'files.name' in quotes, and the beginning of a key that is put together. */
const keysIn = (file: string): string[] =>
  [...read(file).matchAll(new RegExp(`['"\`]((?:${sections})\\.[\\w.]*)`, 'g'))]
    .map(([, key = '']) => key)
    .filter((key) => !/\.tsx?$/.test(key))

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
