import { checkedBy } from '@penstock/settings';
import type { Connector } from '../../connector/connector';
import { fileStorageRole } from '../file-storage-role';
import { httpGetStorage } from './http-get-storage';
import { webServerForm } from './web-server-settings';

/** Files that a web server answers to GET requests. */
export const httpGetConnector: Connector = {
  code: 'http-get',
  label: 'HTTP GET',
  ...fileStorageRole({ source: 'Reads users from files of a web server.' }),
  settings: webServerForm,
  checkSettings: checkedBy(webServerForm),
  fileStorage: httpGetStorage,
};
