// `npm run dev`: the client with reload, against a server that runs already. `npm run dev -- http://127.0.0.1:9000` names it.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './prepare.mjs'

const target = new URL(process.argv[2] ?? 'http://127.0.0.1:8080').origin
const port = Number(process.env.PORT ?? 5173)

try {
  await settingsScript()
} catch {
  console.error(`No answer from ${target}. Start a server first (npm start), or name another one: npm run dev -- URL`)
  process.exit(1)
}

const vite = createRequire(join(root, 'web/package.json')).resolve('vite')
const { createServer } = await import(pathToFileURL(vite).href)
const server = await createServer({
  root: join(root, 'web'),
  clearScreen: false,
  plugins: [page()],
  server: {
    host: '127.0.0.1',
    port,
    proxy: Object.fromEntries(
      ['/api', '/static', '/health', '/manifest.json'].map((path) => [path, { target, ws: true }]),
    ),
  },
})
await server.listen()
console.log(`The client, for the server at ${target}: ${server.resolvedUrls.local[0]}`)

/** Every address outside of the API is the page of the client, with the settings that the server writes into it. */
function page() {
  return {
    name: 'page',
    configureServer({ middlewares }) {
      middlewares.use((request, _, next) => {
        // A file that is looked at is no module, whatever its name ends with.
        if (/^\/(files|share|settings|login)\b/.test(request.url)) request.url = '/'
        next()
      })
    },
    async transformIndexHtml(html) {
      const script = await settingsScript()
      return html.replace('<script>', () => `${script}<script>`)
    },
  }
}

async function settingsScript() {
  const answer = await fetch(`${target}/login`)
  const [script] = /window\.FileBrowser = .*?;(?=<\/script>)/.exec(await answer.text()) ?? []
  if (script === undefined) throw new Error(`${target} is no Filestead`)
  return `<script>${script}</script>`
}
