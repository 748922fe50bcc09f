import { z } from 'zod'

/** A folder that its user keeps at hand. */
export const Favourite = z.object({ path: z.string() })
export type Favourite = z.infer<typeof Favourite>
