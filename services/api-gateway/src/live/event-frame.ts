/**
 * An event of a stream of server-sent events.
 *
 * @param data JSON text: it has no line breaks.
 * @param id what `Last-Event-ID` says when the client comes back; absent: that of the event before.
 */
export const eventFrame = (name: string, data: string, id?: number): string =>
  `${id === undefined ? '' : `id: ${String(id)}\n`}event: ${name}\ndata: ${data}\n\n`;

/**
 * Keeps the connection alive, and tells the client where it would go on.
 *
 * @param id below 0: there was no sample yet.
 */
export const heartbeatFrame = (id: number): string =>
  id < 0 ? ': heartbeat\n\n' : `: heartbeat\nid: ${String(id)}\n\n`;
