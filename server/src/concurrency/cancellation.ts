/** The part of an abort signal that long work asks: has the client that wanted the result gone? */
export type Cancellation = Pick<AbortSignal, 'throwIfAborted'>
