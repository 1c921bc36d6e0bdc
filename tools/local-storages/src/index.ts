export { LocalS3, type S3Fault, type S3RequestSeen } from './local-s3';
export { S3_KEYS, s3SignatureOf } from './s3-signature';
export { type LocalSftp, type SftpOptions, startSftp } from './start-sftp';
