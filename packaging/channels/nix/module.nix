flake: { config, lib, pkgs, ... }:
let cfg = config.services.filestead;
in {
  options.services.filestead = {
    enable = lib.mkEnableOption "Filestead, a web file manager";
    package = lib.mkOption { type = lib.types.package; default = flake.packages.${pkgs.system}.default; };
    root = lib.mkOption { type = lib.types.path; default = "/srv/files"; description = "The folder that is served."; };
    settings = lib.mkOption {
      type = lib.types.attrsOf (lib.types.oneOf [ lib.types.str lib.types.int lib.types.bool ]);
      default = { };
      example = { port = 8080; trustedProxies = "127.0.0.1"; };
      description = "Options of the server, as in its config file.";
    };
  };
  config = lib.mkIf cfg.enable {
    users.users.filestead = { isSystemUser = true; group = "filestead"; home = "/var/lib/filestead"; };
    users.groups.filestead = { };
    systemd.tmpfiles.rules = [ "d ${cfg.root} 0750 filestead filestead" ];
    systemd.services.filestead = {
      description = "Filestead, a web file manager";
      wantedBy = [ "multi-user.target" ];
      after = [ "network-online.target" ];
      wants = [ "network-online.target" ];
      serviceConfig = {
        Type = "exec";
        User = "filestead";
        ExecStart = lib.escapeShellArgs [
          (lib.getExe cfg.package) "--root" cfg.root "--database" "/var/lib/filestead/filestead.db"
          "--config" (pkgs.writeText "filestead.json" (builtins.toJSON cfg.settings))
        ];
        StateDirectory = "filestead";
        StateDirectoryMode = "0700";
        ReadWritePaths = [ cfg.root ];
        ProtectSystem = "strict";
        PrivateTmp = true;
        NoNewPrivileges = true;
        CapabilityBoundingSet = "";
        Restart = "on-failure";
        TimeoutStopSec = 15;
      };
    };
  };
}
