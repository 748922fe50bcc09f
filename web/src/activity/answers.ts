import type { Job } from '@filestead/contract'
import { showFailure } from '../dialogs/show-failure.ts'

/** Asks the person about the names that a job waits for, and sends the answers. */
type AskAbout = (job: Job) => Promise<void>

let askAbout: AskAbout = async () => {}

/** The files know how to ask; they lie above this room. */
export function provideAnswers(ask: AskAbout): void {
  askAbout = ask
}

export const answerJob = (job: Job): void => void askAbout(job).catch(showFailure)
