import { type BatchOutcome, encodePath } from '@filestead/contract'
import type { UserContext } from '../access/routes.ts'
import { plainHeaders } from '../http/answers.ts'
import { statusOfFailure, toProblem } from '../http/failures.ts'
import type { Incoming } from '../http/input.ts'
import type { LogFacts, Report } from '../http/request.ts'
import { type SentFile, uploadBatch } from './batch.ts'
import type { Uploads } from './uploads.ts'

/** Each file of a batch is logged as if it had come alone. */
export interface BatchLog {
  did(event: string, context: UserContext, facts: LogFacts): void
  report: Report
}

export const linesType = 'application/x-ndjson'

export async function answerBatch(
  context: UserContext<unknown, Incoming>,
  uploads: Uploads,
  log: BatchLog,
): Promise<Response> {
  const outcomes: BatchOutcome[] = []
  const tell = (file: SentFile) => {
    logFile(context, file, log)
    outcomes.push({ path: file.path, ...outcomeOf(file.refusal) })
  }
  try {
    await uploadBatch(uploads, context.scope, context.body().bytes, tell)
  } catch (error) {
    if (outcomes.length === 0) throw error
    log.report(error, context.request, context.connection)
    outcomes.push(outcomeOf({ error }))
  }
  const text = outcomes.map((outcome) => `${JSON.stringify(outcome)}\n`).join('')
  return new Response(text, { headers: { ...plainHeaders, 'content-type': linesType } })
}

const outcomeOf = (refusal: SentFile['refusal']): Omit<BatchOutcome, 'path'> =>
  refusal === undefined ? { status: 201 } : { status: statusOfFailure(refusal.error), ...toProblem(refusal.error) }

function logFile(context: UserContext, { path, length, refusal }: SentFile, log: BatchLog): void {
  const { request, connection } = context
  if (refusal === undefined) {
    connection.changed?.('upload')
    log.did('upload', context, { path, bytes: length, status: 201 })
  } else log.report(refusal.error, request, { ...connection, path: `/api/tus${encodePath(path.toWellFormed())}` })
}
