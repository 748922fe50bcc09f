import { callApi } from './people.ts'
import type { Product } from './product.ts'

type Right = 'see' | 'download' | 'create' | 'change' | 'delete' | 'share'

/** What a subject may do in a folder of a mount from now on. */
export async function grant(
  product: Product,
  subject: string,
  folder: string,
  rights: readonly Right[],
  mount = 1,
): Promise<void> {
  await callApi(product, 'POST', 'grants', { subject, mount, folder, rights })
}

export async function endGrants(product: Product): Promise<void> {
  const grants = (await (await callApi(product, 'GET', 'grants')).json()) as { id: number }[]
  for (const { id } of grants) await callApi(product, 'DELETE', `grants/${id}`)
}
