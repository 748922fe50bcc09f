{
  description = "Filestead, a self-hosted web file manager";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      # The released program is patched to Nix' own C library; it is not built from source.
      sources = {
        x86_64-linux = { name = "linux-x64"; hash = "@SUM_X64@"; };
        aarch64-linux = { name = "linux-arm64-unproven"; hash = "@SUM_ARM64@"; };
      };
      package = system:
        let pkgs = nixpkgs.legacyPackages.${system}; source = sources.${system};
        in pkgs.stdenv.mkDerivation {
          pname = "filestead";
          version = "@VERSION@";
          src = pkgs.fetchurl {
            url = "@RELEASES@/v@VERSION@/filestead-@VERSION@-${source.name}.tar.gz";
            sha256 = source.hash;
          };
          nativeBuildInputs = [ pkgs.autoPatchelfHook ];
          buildInputs = [ pkgs.stdenv.cc.cc.lib ];
          # Bun keeps its program at the end of the executable: strip would cut it off.
          dontStrip = true;
          installPhase = ''
            mkdir -p $out/lib/filestead $out/bin
            cp -r filestead lib $out/lib/filestead/
            ln -s $out/lib/filestead/filestead $out/bin/filestead
          '';
          meta = { mainProgram = "filestead"; license = pkgs.lib.licenses.asl20; platforms = builtins.attrNames sources; };
        };
    in {
      packages = builtins.mapAttrs (system: _: rec { filestead = package system; default = filestead; }) sources;
      nixosModules.default = import ./module.nix self;
    };
}
