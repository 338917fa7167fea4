import DeliveriesWhy from '../deliveries/why.ts'

export default class NotificationsWhy extends DeliveriesWhy {
  static override result = { of: ['deliveries.why'] }
  static override examples = [
    '$ <%= config.bin %> notifications why del_0123456789abcdef',
    '$ <%= config.bin %> notifications why c0mjuohs005e6fu6qxd87qvyr --user ada@example.com',
  ]
}
