import type { SeenNode } from '../database/postgres/tables.ts'
import { type Finding, findingsAbout } from './finding.ts'

const about = findingsAbout('Servers')

/** The servers on one PostgreSQL, beside a program of this version. */
export function* examineNodes(nodes: readonly SeenNode[], own: string): Generator<Finding> {
  const serving = nodes.filter(({ isPresent }) => isPresent)
  const silent = nodes.filter(({ isPresent }) => !isPresent)
  yield serving.length === 0
    ? about.note('No server works with the database at the moment.')
    : about.good(`${serving.length} at work: ${serving.map(named).join(', ')}`)
  const versions = new Set(serving.map(({ version }) => version))
  if (versions.size > 1)
    yield about.warning(
      `They have ${versions.size} different versions.`,
      'That is for the time of an upgrade only: bring all of them to the same version.',
    )
  else if (versions.size === 1 && !versions.has(own))
    yield about.note(`This program has version ${own}.`, 'Ask the doctor of the version that serves.')
  if (silent.length > 0)
    yield about.warning(
      `Without a connection to the database: ${silent.map(named).join(', ')}.`,
      'Killed just now, or cut off: look again in a minute. Behind a pooler that shares connections none can be seen.',
    )
}

const named = ({ host, version }: SeenNode): string => (version === '' ? host : `${host} (${version})`)
