import { folderAddress } from '../../navigation/addresses.ts'
import { Link } from '../../navigation/Link.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { titleWhereCut } from '../../ui/title-where-cut.ts'
import styles from './FolderLink.module.css'
import { nameOfPlace, type Place, pathOf } from './places.ts'
import type { RightsData } from './rights-data.ts'

/** A folder by its name, which leads to it where the administrator sees it. */
export function FolderLink({ place, data, name }: { place: Place; data: RightsData; name?: string }) {
  const path = pathOf(place, data.mounts)
  const shown = (
    <>
      <Icon name="folder" small />
      <bdi dir="ltr" onPointerEnter={titleWhereCut}>
        {name ?? nameOfPlace(place, data.mounts)}
      </bdi>
    </>
  )
  return path === null ? (
    <span className={styles.folder}>{shown}</span>
  ) : (
    <Link to={folderAddress(path)} className={styles.folder}>
      {shown}
    </Link>
  )
}
