const kindBits = 0o170000

export const isFolder = (mode: number): boolean => (mode & kindBits) === 0o040000
export const isLink = (mode: number): boolean => (mode & kindBits) === 0o120000
export const isFile = (mode: number): boolean => (mode & kindBits) === 0o100000

/** Without the bits that run a program as another user: new bytes, or bytes with a new owner, did not earn them. */
export const withoutPrivileges = (mode: number): number => mode & (isFolder(mode) ? 0o3777 : 0o1777)
