/** It has no types; these describe the part that s3-server.ts uses. */
declare module '@20minutes/s3rver' {
  class S3rver {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      allowMismatchedSignatures: boolean;
      configureBuckets: { name: string; configs: string[] }[];
    });
    run(): Promise<{ port: number }>;
  }
  export = S3rver;
}
