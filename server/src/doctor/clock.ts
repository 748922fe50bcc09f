import { statOf } from './access.ts'
import { type Finding, findingsAbout } from './finding.ts'

const about = findingsAbout('Clock')
/** No version existed before this day, so an earlier time is wrong. */
const firstDay = Date.UTC(2026, 0, 1)
const tolerance = 5 * 60_000

/** Sessions, shares and certificates expire by the clock. Single-board computers without a battery start in the past. */
export function examineClock(database: string, now = Date.now()): Finding {
  const advice = 'Set the clock, best by the network: timedatectl set-ntp true'
  const shown = new Date(now).toISOString().slice(0, 16).replace('T', ' ')
  if (now < firstDay) return about.bad(`The clock of this machine says ${shown} UTC.`, advice)
  const lastUsed = statOf(database)?.mtimeMs ?? 0
  if (lastUsed > now + tolerance)
    return about.warning(
      `It is ${shown} UTC by this machine, but the database was changed later than that: the clock was set back.`,
      advice,
    )
  return about.good(`${shown} UTC`)
}
