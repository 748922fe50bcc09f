/** The claims of a token, without a check of its signature. */
export const claimsIn = (token: string): Record<string, unknown> => JSON.parse(part(token, 1))

export const headerOf = (token: string): Record<string, unknown> => JSON.parse(part(token, 0))

export const encodePart = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const part = (token: string, index: number): string =>
  Buffer.from(token.split('.')[index] ?? '', 'base64url').toString()
