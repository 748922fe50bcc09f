import { resolve } from 'node:path'
import type { Plugin, Rolldown } from 'vite'
import type { TextSet } from '../src/i18n/text-sets.ts'
import { englishTexts } from './texts.ts'

type Bundle = Rolldown.OutputBundle

/** What each kind of page starts with besides the entry: the modules that app/routes.ts loads for it. */
const pages = {
  files: ['app/Stage.tsx', 'app/SidebarFrame.tsx', 'files/FilesScreen.tsx'],
  settings: ['app/Stage.tsx', 'app/SidebarFrame.tsx', 'settings/SettingsScreen.tsx'],
  share: ['app/Stage.tsx', 'public-share/ShareScreen.tsx'],
  login: ['auth/LoginScreen.tsx'],
}

/** The texts that app/routes.ts loads for it. */
const textsOfPage: Record<keyof typeof pages, readonly TextSet[]> = {
  files: ['files'],
  settings: ['files', 'settings'],
  share: ['visit'],
  login: ['login'],
}

/**
 * Writes into the page which modules each kind of page loads, so that the browser fetches them beside the entry. The
 * server leaves out the links of other pages. Style sheets are not preloaded: the server can only guess which page it
 * will be, and browsers warn of a style sheet that was not used. The first one becomes a preload: index.html applies it
 * without holding back the first paint. `pages.json` lists all files of each page, its texts in
 * English included, for the check of their size.
 */
export function preloads(): Plugin {
  return {
    name: 'preloads',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {}, chunk }) {
        const known = new Set(chunk === undefined ? [] : closure(bundle, [chunk.fileName]))
        const links = Object.entries(pages).flatMap(([page, modules]) =>
          filesOf(bundle, modules)
            .filter((file) => !known.has(file) && file.endsWith('.js'))
            .map((file) => `<link rel="modulepreload" crossorigin href="./${file}" data-page="${page}">`),
        )
        return html
          .replaceAll('<link rel="stylesheet" ', '<link rel="preload" as="style" data-first-style ')
          .replace('</head>', `  ${links.join('\n    ')}\n  </head>`)
      },
    },
    generateBundle(_, bundle) {
      checkPackages(bundle)
      const lists = Object.entries(pages).map(([page, modules]) => [
        page,
        [...filesOf(bundle, ['main.tsx', ...modules]), ...textsOfPage[page as keyof typeof pages].map(englishTexts)],
      ])
      const source = JSON.stringify(Object.fromEntries(lists))
      this.emitFile({ type: 'asset', fileName: 'pages.json', source })
    },
  }
}

/**
 * Chunks of packages import none of our own: the hash in the name of an imported chunk is part of the content, and a
 * release that changes only our code would change them all.
 */
function checkPackages(bundle: Bundle): void {
  for (const chunk of Object.values(bundle)) {
    if (chunk.type !== 'chunk' || !isOfPackages(chunk.fileName)) continue
    const own = chunk.imports.find((file) => !isOfPackages(file))
    if (own !== undefined) throw new Error(`${chunk.fileName} imports ${own}, and would change with it`)
  }
}

const isOfPackages = (fileName: string): boolean => /\/(\w+-packages|rolldown-runtime)-/.test(fileName)

function filesOf(bundle: Bundle, modules: readonly string[]): string[] {
  return closure(
    bundle,
    modules.map((module) => {
      const id = resolve(import.meta.dirname, '../src', module)
      const chunk = Object.values(bundle).find((file) => file.type === 'chunk' && file.moduleIds.includes(id))
      if (chunk === undefined) throw new Error(`No chunk holds ${module}`)
      return chunk.fileName
    }),
  )
}

/** The chunks, what they import, and the style sheets of all of them. Lazy imports are left aside. */
function closure(bundle: Bundle, fileNames: readonly string[]): string[] {
  const found = new Set(fileNames)
  for (const name of found) {
    const chunk = bundle[name]
    if (chunk?.type !== 'chunk') continue
    for (const file of [...chunk.imports, ...(chunk.viteMetadata?.importedCss ?? [])]) found.add(file)
  }
  return [...found]
}
