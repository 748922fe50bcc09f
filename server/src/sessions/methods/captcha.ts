import { z } from 'zod'
import { Failure } from '../../failure.ts'

const timeLimit = 10_000

const Verdict = z.object({ success: z.boolean() })

/** Asks the captcha service whether the answer is good. Its host is set on the command line and nowhere else. */
export async function requireHuman({ host, secret }: { host: string; secret: string }, answer: string): Promise<void> {
  const response = await fetch(`${host}/recaptcha/api/siteverify`, {
    method: 'POST',
    body: new URLSearchParams({ secret, response: answer }),
    signal: AbortSignal.timeout(timeLimit),
  }).catch((cause) => {
    throw new Failure('unavailable', 'The captcha service does not answer', { cause })
  })
  const verdict = response.ok ? Verdict.safeParse(await response.json().catch(() => null)) : undefined
  if (!verdict?.success || !verdict.data.success) throw new Failure('wrong-credentials', 'Wrong credentials')
}
