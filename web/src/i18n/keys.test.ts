import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import en from './en.json'

const keys = new Set(keysOf(en, ''))
const sections = Object.keys(en).join('|')
const root = join(import.meta.dirname, '..')

/** But for the sets, which name texts and show none. */
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.') && file !== 'i18n/text-sets.ts')
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))

/** 'files.name' in quotes. */
const written = sources.flatMap(({ file, text }) =>
  [...text.matchAll(new RegExp(`['"\`]((?:${sections})(?:\\.\\w+)+)['"\`]`, 'g'))].map(([, key = '']) => ({
    file,
    key,
  })),
)

/** `share.${unit}`: a key that is put together, as an expression for the keys it may become. */
const composed = sources.flatMap(({ text }) =>
  [...text.matchAll(/`((?:\w+\.)*[\w.]*\$\{[^}]*\}\w*)`/g)]
    .map(([, template = '']) => template)
    .filter((template) => new RegExp(`^(?:${sections})\\.`).test(template))
    .map((template) => new RegExp(`^${template.replaceAll('.', '\\.').replace(/\$\{[^}]*\}/, '([\\w.-]+)')}$`)),
)

/** Whatever a program could put into such a place: quoted words and names of properties. */
const words = new Set(
  [...sources.map(({ text }) => text), contract()].flatMap((text) =>
    [...text.matchAll(/['"`]([\w.-]+)['"`]|(\w+)\??:/g)].map(([, quoted, named]) => quoted ?? named),
  ),
)

test('every text is used', () => {
  const literal = new Set(written.map(({ key }) => key))
  const isUsed = (key: string) => literal.has(key) || composed.some((pattern) => words.has(pattern.exec(key)?.[1]))
  expect([...keys].filter((key) => !isUsed(key))).toEqual([])
})

test('every key that is used has a text', () => {
  expect(written.filter(({ key }) => !keys.has(key))).toEqual([])
})

test('every composed key can become a text', () => {
  expect(composed.filter((pattern) => ![...keys].some((key) => pattern.test(key)))).toEqual([])
})

/** The keys as programs write them: without the endings of plurals. */
function keysOf(part: object, prefix: string): string[] {
  return Object.entries(part).flatMap(([key, value]) =>
    typeof value === 'object' ? keysOf(value, `${prefix}${key}.`) : [prefix + key.replace(/_(one|other)$/, '')],
  )
}

/** Permissions and events are named by the contract. */
function contract(): string {
  const folder = join(root, '../../contract/src')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n')
}
