export const checksumAlgorithms = ['md5', 'sha1', 'sha256', 'sha512'] as const
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number]
