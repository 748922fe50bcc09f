import { createContext, use } from 'react'

/** The panel's header holds the button that opens the drawer; the frame around it owns the drawer. */
export const SidebarContext = createContext({ isDrawerOpen: false, toggle: () => {} })

export const useSidebar = () => use(SidebarContext)
