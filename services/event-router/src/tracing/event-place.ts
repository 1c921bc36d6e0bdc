/** Where an event is on the log. */
export interface EventPlace {
  readonly partition: number;
  readonly offset: number;
}

/** The opaque name of a place in answers: URL-safe. */
export const eventPlaceId = ({ partition, offset }: EventPlace): string =>
  Buffer.from(`${partition}.${offset}`).toString('base64url');
