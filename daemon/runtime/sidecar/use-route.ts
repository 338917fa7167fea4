/** Where the daemon is asked whether a credential may be used outside of its scopes. No agent can call it. */
export const useRoute = '/credential-use'
