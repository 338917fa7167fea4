/** Where the provider of managed integrations answers unless the operator names another place. */
export const managedAddress = 'https://backend.composio.dev'
