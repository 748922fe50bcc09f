import { costOf, type FailureCode, isOver, type Job, nameOf } from '@filestead/contract'
import { describeFailure } from '../dialogs/show-failure.ts'
import { formatNumber, formatRoughSize } from '../i18n/format.ts'
import { t } from '../i18n/i18n.ts'
import { ApiError } from '../server/client.ts'
import { formatDuration, formatSpeed } from './pace.ts'

/** The name of a job, which stays the same from its beginning to its end: "Copying 12 items". */
export function jobName({ kind, count, names: [name = ''], to = '' }: Job): string {
  switch (kind) {
    case 'copy':
      return t('change.copying', { count })
    case 'move':
      return t('change.moving', { count })
    case 'delete':
      return t('change.deleting', { count })
    case 'compress':
      return t('jobs.compress', { name: nameOf(to) })
    case 'extract':
      return t('jobs.extract', { name })
    case 'checksum':
      return t('jobs.checksum', { name: nameOf(to) })
    case 'restore':
      return t('jobs.restore', { count })
    case 'purge':
      return t('jobs.purge', { count })
    case 'undo':
      return t('jobs.undo')
  }
}

/** What the eye reads: one entry by its name, where it goes, and that it is done once it is. */
export function jobTitle(job: Job): string {
  const { kind, count, names, to, state } = job
  const [name = ''] = names
  const folder = to === undefined ? '' : to === '/' ? t('frame.myFiles') : nameOf(to)
  const isOne = count === 1
  if (state === 'done')
    switch (kind) {
      case 'copy':
        return isOne ? t('change.copiedOne', { name, folder }) : t('change.copied', { count, folder })
      case 'move':
        return isOne ? t('change.movedOne', { name, folder }) : t('change.moved', { count, folder })
      case 'delete':
        return isOne ? t('change.deletedOne', { name }) : t('change.deleted', { count })
      case 'compress':
      case 'checksum':
        return t('jobs.made', { name: folder })
      case 'extract':
        return t('jobs.extracted', { name })
      case 'restore':
        return t('jobs.restored', { count })
      case 'purge':
        return t('jobs.purged', { count })
      case 'undo':
        return isOne ? t('jobs.undoneOne', { name }) : t('jobs.undone')
    }
  switch (kind) {
    case 'copy':
      return isOne ? t('jobs.copyOne', { name, folder }) : t('jobs.copy', { count, folder })
    case 'move':
      return isOne ? t('jobs.moveOne', { name, folder }) : t('jobs.move', { count, folder })
    case 'delete':
      return isOne ? t('jobs.deleteOne', { name }) : t('change.deleting', { count })
    case 'undo':
      return isOne ? t('jobs.undoOne', { name }) : jobName(job)
    default:
      return jobName(job)
  }
}

/** From 0 to 1, or null while it is not known how much there is to do. */
export function jobProgress({ kind, state, done, total, finished, count }: Job): number | null {
  if (state === 'done') return 1
  if (total !== undefined && total.files > 0) {
    const amount = ({ files, bytes }: Job['done']) => costOf({ files, bytes: kind === 'delete' ? 0 : bytes })
    return Math.min(1, amount(done) / amount(total))
  }
  return count > 1 ? finished / count : null
}

/** "1,234 of 20,000 items": the files of all folders where they are counted, until then the entries that were chosen. */
export function amountOf({ kind, done, total, finished, count }: Job): string {
  if (total !== undefined && total.files > 0)
    return t('jobs.items', { count: total.files, done: formatNumber(Math.min(done.files, total.files)) })
  if (count > 1 || kind === 'delete') return t('jobs.items', { count, done: formatNumber(finished) })
  return t('jobs.itemsSoFar', { count: done.files })
}

/** The same in short, for a progress bar: "1,234 of 20,000". */
export function shareOf({ done, total, finished, count }: Job): string {
  const isCounted = total !== undefined && total.files > 0
  return t('change.workDone', {
    done: formatNumber(isCounted ? Math.min(done.files, total.files) : finished),
    total: formatNumber(isCounted ? total.files : count),
  })
}

/** "3.1 GiB of 20 GiB", or null where nothing is read or written. */
export function bytesOf({ kind, done, total }: Job): string | null {
  if (kind === 'delete' || (done.bytes === 0 && (total?.bytes ?? 0) === 0)) return null
  const sent = formatRoughSize(done.bytes)
  return total === undefined ? sent : t('upload.sent', { sent, size: formatRoughSize(total.bytes) })
}

/** More than that is not worth telling, in seconds. */
const longestTold = 100 * 3600

/** What people ask first: how far it is, and how long still. Then the numbers behind it. */
export function jobLines(job: Job): { lead: string[]; numbers: string[] } {
  const { state, rate = 0, secondsLeft, problem } = job
  const bytes = bytesOf(job)
  // Of one file the number of files says nothing.
  const amounts = bytes !== null && job.count === 1 && job.total?.files === 1 ? [bytes] : [amountOf(job), bytes]
  const [far = '', size] = amounts
  const sizes = size == null ? [] : [size]
  switch (state) {
    case 'queued':
      return { lead: [t('jobs.queued')], numbers: [] }
    case 'paused':
      return { lead: [t('upload.paused'), far ?? ''], numbers: sizes }
    case 'asking':
      return { lead: [t('jobs.asking', { count: takenIn(job) })], numbers: [] }
    case 'running': {
      const isLeftKnown =
        secondsLeft !== undefined && secondsLeft > 0 && secondsLeft <= longestTold && problem === undefined
      const left = isLeftKnown ? [t('upload.left', { time: formatDuration(secondsLeft) })] : []
      const speed = rate >= 1 && bytes !== null ? [formatSpeed(rate)] : []
      const asked = job.conflicts.length > 0 ? [t('jobs.asking', { count: takenIn(job) })] : []
      return { lead: [far ?? '', ...left], numbers: [...sizes, ...speed, ...asked] }
    }
    default:
      return { lead: summaryOf(job), numbers: [] }
  }
}

/** Files whose names are taken; a folder that can be merged is none by itself. */
function takenIn({ conflicts }: Job): number {
  const files = conflicts.filter(({ source, target }) => !source.isDir || !target.isDir)
  return files.length || conflicts.length
}

/** Of a job that is over. */
function summaryOf({ kind, done, skipped }: Job): string[] {
  const bytes = kind !== 'delete' && done.bytes > 0 ? [formatRoughSize(done.bytes)] : []
  const left = skipped > 0 ? [t('jobs.skipped', { count: skipped })] : []
  return [t('jobs.itemsSoFar', { count: done.files }), ...bytes, ...left]
}

/** All of it in one line, for the dialog and for screen readers. */
export function jobText(job: Job): string {
  const { lead, numbers } = jobLines(job)
  const problem = problemOf(job)
  return [...lead, ...numbers, ...(problem === null ? [] : [problem])].join(' · ')
}

/** Why it does not go on, or what could not be done, in a sentence. Null while all is well. */
export function problemOf(job: Job): string | null {
  const { kind, problem, failures, state } = job
  const [first] = failures
  if (first !== undefined && (isOver(state) || problem === undefined)) {
    const reason = describeFailure(failureOf(first))
    const name = nameOf(first.path)
    const rest = failures.length - 1
    const names = rest === 0 ? name : t('jobs.andMore', { name, count: rest })
    if (kind === 'copy') return t('change.copyFailed', { names, reason })
    if (kind === 'move') return t('change.moveFailed', { names, reason })
    return kind === 'delete' ? t('change.deleteFailed', { names, reason }) : t('jobs.failed', { names, reason })
  }
  if (problem === undefined) return isOver(state) ? leftOutText(job.leftOut) : null
  // It goes on by itself.
  return problem.code === 'unavailable' && !isOver(state) ? t('jobs.stalled') : describeFailure(failureOf(problem))
}

/** What the storage that things were copied to cannot have, by name. */
export function leftOutText(leftOut: Job['leftOut']): string | null {
  if (leftOut === undefined || leftOut.count === 0) return null
  const name = nameOf(leftOut.paths[0] ?? '')
  return t('jobs.leftOut', {
    names: leftOut.count === 1 ? name : t('jobs.andMore', { name, count: leftOut.count - 1 }),
  })
}

/** As if a request had failed for this reason. */
export const failureOf = ({ code, message }: { code: string; message: string }): ApiError =>
  new ApiError(500, message, code as FailureCode)
