import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const repository = join(import.meta.dirname, '../..')
const read = (name: string): string => readFileSync(join(repository, name), 'utf8')

const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'ARCHITECTURE.md', 'bench/README.md', 'e2e/README.md'],
  ...readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

test('every link between the documents leads to a file and to a heading in it', () => {
  const broken = documents.flatMap((page) =>
    linksIn(page)
      .filter(([file, anchor]) => !existsSync(file) || (anchor !== '' && !headingsOf(file).includes(anchor)))
      .map(([file, anchor]) => `${page}: ${file.slice(repository.length + 1)}#${anchor}`),
  )
  expect(broken).toEqual([])
})

function linksIn(page: string): [file: string, anchor: string][] {
  const text = readFileSync(join(repository, page), 'utf8').replaceAll(/^```.*?^```$|`[^`\n]*`/gms, '')
  const links = text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#?([^)\s]*)\)|(?:src|srcset)="()([^"]+)"/g)
  return [...links].map(({ 1: file = '', 2: anchor = '', 4: image }) => {
    if (image !== undefined) return [join(repository, dirname(page), image), '']
    return [file === '' ? join(repository, page) : join(repository, dirname(page), file), anchor]
  })
}

/** The names that repositories give to headings. */
const headingsOf = (file: string): string[] =>
  file.endsWith('.md')
    ? [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(({ 1: heading = '' }) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      )
    : []

test('every decision is in the index once', () => {
  const pages = readdirSync(join(repository, 'docs/decisions')).filter((name) => /^\d/.test(name))
  const listed = [...read('docs/decisions/README.md').matchAll(/^\| \[(\d+)\]\((\d{4}-[^)]+)\) \| \S/gm)]
  expect(listed.map(({ 2: page }) => page).sort()).toEqual(pages.sort())
  expect(listed.filter(({ 1: number, 2: page }) => Number(page?.slice(0, 4)) !== Number(number))).toEqual([])
})

/** Paths in these may begin where the sources of one side do. */
const bases = ['', 'server/src', 'web/src', 'e2e']
const isThere = (path: string): boolean => bases.some((base) => existsSync(join(repository, base, path)))

test.each(['CONTRIBUTING.md', 'docs/glossary.md', 'docs/translating.md', 'e2e/README.md'])(
  'every file and script that %s names is there',
  (page) => {
    const named = [...read(page).matchAll(/`([\w./-]+(?:\/|\.(?:tsx?|mjs|json|md)))`/g)].map(({ 1: path = '' }) => path)
    // Named by itself, a file is one of any folder.
    expect(named.filter((path) => path.includes('/') && !isThere(path))).toEqual([])
    const { scripts } = JSON.parse(read('package.json'))
    const used = [...read(page).matchAll(/npm run (\w+)|\bnode (scripts\/\S+?)[`,\s]/g)]
    expect(used.filter(({ 1: name, 2: file }) => (name ? !(name in scripts) : !isThere(file ?? '')))).toEqual([])
    for (const [, paths = ''] of read(page).matchAll(/npm run unit -- ([\w./ -]+?)(?= -t|\s*#|`|\n)/g))
      expect(paths.split(' ').filter((path) => !isThere(path))).toEqual([])
  },
)
