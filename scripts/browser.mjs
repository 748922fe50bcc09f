import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Engines for the smoke part, each with the programs it needs and the package that brings each of them. */
const engines = [
  { name: 'firefox', label: 'Firefox', programs: { '/usr/bin/firefox-esr': 'firefox-esr' } },
  {
    name: 'webkit',
    label: 'WebKit',
    programs: { '/usr/bin/WebKitWebDriver': 'webkit2gtk-driver', '/usr/bin/Xvfb': 'xvfb' },
  },
]

/** What of the smoke part can run here: the packages that an engine lacks are named. */
export const findEngines = () =>
  engines.map(({ name, label, programs }) => {
    const missing = Object.entries(programs).filter(([program]) => !existsSync(program))
    return { name, label, missing: missing.map(([, brings]) => brings) }
  })

/** The headless shell is Chromium without the parts around the page: a test takes half of the processor's time. */
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** The system's Chromium; where there is none and we may, the distribution's package is installed. */
export function findBrowser() {
  return process.env.FILESTEAD_CHROMIUM ?? found() ?? installed()
}

const found = () => places.find((place) => existsSync(place))

function installed() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined
  console.log('Installing Chromium …')
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore' })
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { stdio: 'inherit', env })
  return found()
}
