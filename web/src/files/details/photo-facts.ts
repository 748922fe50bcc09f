import type { MediaFacts, Photo } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { formatExact, formatNumber } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { readMediaFacts } from '../../server/queries/resources.ts'

/** What the server reads in the headers of a picture or film; undefined until it has, and for other files. */
export function useMediaFacts(file: Entry | null): MediaFacts | undefined {
  return (
    useQuery({
      queryKey: ['media', file?.path, file?.modified],
      queryFn: ({ signal }) => (file === null ? null : readMediaFacts(file.path, signal)),
      enabled: file !== null,
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    }).data ?? undefined
  )
}

/** What the camera has noted, as terms and values. The location is a text alone: nothing is asked of a map. */
export function usePhotoFacts(photo: Photo | undefined): [term: string, value: string | null][] {
  const { t } = useTranslation()
  if (photo === undefined) return []
  const { taken, camera, lens, latitude, longitude } = photo
  return [
    [t('info.taken'), taken === undefined ? null : formatExact(new Date(taken))],
    [t('info.camera'), camera ?? null],
    [t('info.lens'), lens ?? null],
    [t('info.exposure'), exposureText(photo)],
    [
      t('info.location'),
      latitude === undefined || longitude === undefined ? null : `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`,
    ],
  ]
}

/** 1/250 s · f/2.8 · ISO 200 · 35 mm, as cameras of all countries show it. */
export function exposureText({ exposure, aperture, iso, focalLength }: Photo): string | null {
  const parts = [
    exposure !== undefined && `${exposure < 0.3 ? `1/${Math.round(1 / exposure)}` : formatNumber(exposure)} s`,
    aperture !== undefined && `f/${formatNumber(aperture)}`,
    iso !== undefined && `ISO ${iso}`,
    focalLength !== undefined && `${formatNumber(focalLength)} mm`,
  ].filter((part) => part !== false)
  return parts.length === 0 ? null : parts.join(' · ')
}
