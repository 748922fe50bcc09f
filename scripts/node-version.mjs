// Imported first by every script. This file and those that `npm start` loads are written so that Node 12 can parse them:
// Debian and Ubuntu still bring old versions, whose own errors name neither the cause nor the remedy.
import { readFileSync } from 'node:fs'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const needed = engines.node.replace(/[^\d.]/g, '')

if (isOlder(process.versions.node, needed)) {
  process.stderr.write(
    `Error: Filestead needs Node ${needed} or newer, and ${process.execPath} is Node ${process.versions.node}. Install a newer one: https://nodejs.org/en/download\n`,
  )
  process.exit(1)
}

function isOlder(version, than) {
  const [major, minor] = version.split('.').map(Number)
  const [leastMajor, leastMinor] = than.split('.').map(Number)
  return major === leastMajor ? minor < leastMinor : major < leastMajor
}
