/** What a successful answer holds. */
export async function jsonIn<T>(pending: Promise<Response>): Promise<T> {
  const response = await pending
  if (!response.ok) throw new Error(`answered ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

export async function statusOf(pending: Promise<Response>): Promise<number> {
  const response = await pending
  await response.arrayBuffer()
  return response.status
}
