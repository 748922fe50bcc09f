import type { Run } from './run.ts'

/** What was measured, on what and when. */
export function describeRun({ date, version, commit, machine, peers, rounds, minutes, scale }: Run): string[] {
  const others = peers.slice(1).map(({ name, version: release }) => (release ? `${name} ${release}` : name))
  const { processor, cores, memoryGB, system, fileSystem, load } = machine
  const lines = [
    `${peers[0]?.name} ${version}, commit ${commit}${others.length > 0 ? `, beside ${others.join(', ')}` : ''}.`,
    `${date.slice(0, 10)} on ${processor}, ${cores} cores, ${memoryGB} GB of memory, ${system}, ${fileSystem}.`,
    `Medians of ${rounds === 1 ? '1 round' : `up to ${rounds} rounds`}${scale === 'full' ? '' : ` at ${scale} scale, which only shows that all runs`}; the run took ${Math.ceil(minutes)} min.`,
  ]
  if (load > cores / 2) {
    lines.push(
      `The machine had other work meanwhile (a load of ${load.toFixed(1)} before the run): these figures are rough.`,
    )
  }
  return lines
}
