import { checkedBy } from '@penstock/settings';
import type { Connector } from '../../connector/connector';
import { fileStorageRole } from '../file-storage-role';
import { s3Destination } from './s3-destination';
import { s3Form } from './s3-settings';
import { s3Storage } from './s3-storage';

/** Objects of Amazon S3, and of compatible stores. */
export const s3Connector: Connector = {
  code: 's3',
  label: 'Amazon S3',
  ...fileStorageRole({
    source: 'Reads users from files of a bucket.',
    destination: 'Writes users to files of a bucket.',
  }),
  settings: s3Form,
  checkSettings: checkedBy(s3Form),
  fileStorage: s3Storage,
  fileDestination: s3Destination(),
};
