/** The bytes of an answer: all of them known from the start, or told as they are made. */
export interface Flow {
  bytes: number
  /** It is made while it is sent, so nothing tells its length before the end. */
  readonly isMade: boolean
  tell: ((bytes: number) => void) | undefined
}

// The runtime tells neither the length of an answer nor when it has been sent, so those who make one note it here.
const flows = new WeakMap<Response, Flow>()

/** Notes how long an answer is. */
export function sized(response: Response, bytes: number): Response {
  flows.set(response, { bytes, isMade: false, tell: undefined })
  return response
}

/** Notes an answer whose bytes `made` will be told of. */
export function flowing(answer: (made: (bytes: number) => void) => Response): Response {
  const flow: Flow = { bytes: 0, isMade: true, tell: undefined }
  const response = answer((bytes) => flow.tell?.(bytes))
  flows.set(response, flow)
  return response
}

export const flowOf = (response: Response): Flow | undefined => flows.get(response)
