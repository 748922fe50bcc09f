interface Flight<T> {
  readonly callers: Set<AbortSignal>
  /** Aborts when the last caller has left. */
  readonly abandoned: AbortController
  readonly result: Promise<T>
}

/** Runs work once for all callers with the same key that come while it is under way. */
export type SingleFlight<T> = (
  key: string,
  signal: AbortSignal,
  work: (abandoned: AbortSignal) => Promise<T>,
) => Promise<T>

export function singleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>()

  function begin(key: string, work: (abandoned: AbortSignal) => Promise<T>): Flight<T> {
    const abandoned = new AbortController()
    const result = work(abandoned.signal).finally(() => {
      if (flights.get(key) === flight) flights.delete(key)
    })
    const flight: Flight<T> = { callers: new Set(), abandoned, result }
    flights.set(key, flight)
    return flight
  }

  return async (key, signal, work) => {
    const present = flights.get(key)
    // Abandoned work ends with an error, which a caller that came later must not get.
    const flight = present === undefined || present.abandoned.signal.aborted ? begin(key, work) : present
    const { callers, abandoned, result } = flight
    const leave = () => {
      callers.delete(signal)
      if (callers.size === 0) abandoned.abort(signal.reason)
    }
    callers.add(signal)
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    try {
      return await result
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }
}
