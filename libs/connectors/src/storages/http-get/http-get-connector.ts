import { checkedBy } from '@penstock/settings';
import type { Connector } from '../../connector/connector';
import { fileStorageRole } from '../file-storage-role';
import { httpGetForm } from './http-get-settings';
import { httpGetStorage } from './http-get-storage';

/** Files that a web server answers to GET requests. */
export const httpGetConnector: Connector = {
  code: 'http-get',
  label: 'HTTP GET',
  ...fileStorageRole('Reads users from files of a web server.'),
  settings: httpGetForm,
  checkSettings: checkedBy(httpGetForm),
  fileStorage: httpGetStorage,
};
