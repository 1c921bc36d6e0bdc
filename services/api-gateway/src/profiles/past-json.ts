import type { PastView } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { jsonObject } from '../http/json-object';

/** What has happened to a profile, as the API answers it. */
export const pastJson = ({ from, to, joinedBy, ...past }: PastView): Json =>
  jsonObject({
    ...past,
    from: [...from],
    to: [...to],
    joinedBy: joinedBy.map((each) => jsonObject({ ...each })),
  });
